"""The zoo in PyTorch; see torch_zoo."""
