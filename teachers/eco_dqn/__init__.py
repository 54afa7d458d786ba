"""ECO-DQN: exploratory Q-learning that flips one vertex of a cut at a time."""

TEACHERS = {"eco-dqn": "maxcut"}
