# The care robot's demo: docker build -t modular_dynamics . && docker run --rm -it modular_dynamics
FROM ros:jazzy
WORKDIR /modular_dynamics
COPY src src
# rviz2 only draws; what tests need is left out
RUN apt-get update \
    && rosdep update --rosdistro jazzy \
    && rosdep install --from-paths src --ignore-src --default-yes --skip-keys rviz2 \
       -t buildtool -t build -t build_export -t exec \
    && . /opt/ros/jazzy/setup.sh \
    && colcon build --merge-install \
    && rm -rf build log /var/lib/apt/lists/*
CMD ["bash", "-c", ". install/setup.bash && exec ros2 launch modular_dynamics_bringup charmie_demo.launch.py"]
