"""Models of dense layers: mlp, autoencoder, vae, gan_generator, diffusion_mlp, gcn, two_tower."""

import jax
import jax.numpy as jnp
from jax import Array

from rml_export.zoo.configs import Config
from rml_export.zoo.fixed import frequencies, normalised_adjacency
from rml_export.zoo.jax_models.layers import Params, dense


def mlp(c: Config, p: Params, x: Array) -> Array:
    return dense(p, "fc3", jax.nn.relu(dense(p, "fc2", jax.nn.relu(dense(p, "fc1", x)))))


def autoencoder(c: Config, p: Params, x: Array) -> tuple[Array, Array]:
    latent = dense(p, "encode2", jax.nn.relu(dense(p, "encode1", x)))
    return jax.nn.sigmoid(dense(p, "decode2", jax.nn.relu(dense(p, "decode1", latent)))), latent


def vae(c: Config, p: Params, x: Array, noise: Array) -> tuple[Array, Array, Array]:
    hidden = jax.nn.relu(dense(p, "encode", x))
    mu, logvar = dense(p, "mu", hidden), dense(p, "logvar", hidden)
    latent = mu + jnp.exp(0.5 * logvar) * noise
    return jax.nn.sigmoid(dense(p, "decode2", jax.nn.relu(dense(p, "decode1", latent)))), mu, logvar


def gan_generator(c: Config, p: Params, z: Array) -> Array:
    return jnp.tanh(dense(p, "fc3", jax.nn.relu(dense(p, "fc2", jax.nn.relu(dense(p, "fc1", z))))))


def diffusion_mlp(c: Config, p: Params, x: Array, t: Array) -> Array:
    angles = t * frequencies(c["freqs"])
    hidden = jnp.concatenate([x, jnp.sin(angles), jnp.cos(angles)], axis=1)
    return dense(p, "fc3", jax.nn.silu(dense(p, "fc2", jax.nn.silu(dense(p, "fc1", hidden)))))


def gcn(c: Config, p: Params, features: Array) -> Array:
    adjacency = normalised_adjacency(c["nodes"])
    hidden = jax.nn.relu(jnp.matmul(adjacency, features @ p["fc1.weight"].T) + p["fc1.bias"])
    return jnp.matmul(adjacency, hidden @ p["fc2.weight"].T) + p["fc2.bias"]


def two_tower(c: Config, p: Params, user: Array, item: Array) -> Array:
    left = dense(p, "user2", jax.nn.relu(dense(p, "user1", user)))
    right = dense(p, "item2", jax.nn.relu(dense(p, "item1", item)))
    return (left * right).sum(axis=-1)
