"""What dynamics_node publishes of an answer besides torques: what stands behind them."""
