"""The zoo in TensorFlow; see tf_zoo. Each model is a function of its parameters, by PyTorch's names, and its inputs."""
