"""The crash test of a set-up: scripted bad agents, a scratch copy, a scorecard."""
