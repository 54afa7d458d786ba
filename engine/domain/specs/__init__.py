"""What a run or a study is a function of: settings, caps, methods, endpoints."""
