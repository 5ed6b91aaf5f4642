// Pinocchio's ALGORITHM (rnea or aba) on CasADi's symbols, as C: generator URDF_FILE GX GY GZ writes ALGORITHM.c
// in the current folder. Third argument of the function: accelerations for rnea, torques for aba.
#include <cstdlib>
#include <fstream>
#include <sstream>

#include <pinocchio/autodiff/casadi.hpp>

#include <pinocchio/algorithm/aba.hpp>
#include <pinocchio/algorithm/rnea.hpp>
#include <pinocchio/multibody.hpp>
#include <pinocchio/parsers/urdf.hpp>

#define TEXT_OF(name) #name
#define TEXT(name) TEXT_OF(name)

using casadi::SX;
using Model = pinocchio::ModelTpl<SX>;

int main(int, char ** argv)
{
  std::stringstream urdf;
  urdf << std::ifstream(argv[1]).rdbuf();
  pinocchio::Model numbers;
  pinocchio::urdf::buildModelFromXML(urdf.str(), numbers);
  numbers.gravity.linear() << std::atof(argv[2]), std::atof(argv[3]), std::atof(argv[4]);

  const Model model = numbers.cast<SX>();
  pinocchio::DataTpl<SX> data(model);
  const SX q = SX::sym("q", model.nq), v = SX::sym("v", model.nv), given = SX::sym("given", model.nv);
  Model::ConfigVectorType q_(model.nq);
  Model::TangentVectorType v_(model.nv), given_(model.nv);
  pinocchio::casadi::copy(q, q_);
  pinocchio::casadi::copy(v, v_);
  pinocchio::casadi::copy(given, given_);
  SX result(model.nv, 1);
  pinocchio::casadi::copy(pinocchio::ALGORITHM(model, data, q_, v_, given_), result);
  casadi::Function(TEXT(ALGORITHM), {q, v, given}, {result}).generate(TEXT(ALGORITHM) ".c");
}
