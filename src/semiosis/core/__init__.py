"""The theory as frozen values: signs, graphs, cascades, outcomes. No network, no clock."""
