"""When pivots of a mass matrix are rounding."""

#: The smallest pivot that is more than rounding, relative to the inertia about the joint's axis (or the mass)
#: of all that the joint moves while the joints beyond it are held. A pivot is what remains of that when these
#: are free. Eliminating them is Cholesky's method on M: pivots are exact for a matrix that differs by about
#: n eps of its diagonal (Higham, Accuracy and Stability of Numerical Algorithms, section 10.1), eps = 2.2e-16
#: and n = 450 joints at 1e-13. Where a direction is lost, what remains is less.
ROUNDING = 1e-13
