"""Neighbours that read sequences and tables, in Keras: bert, gru, bilstm, audio_cnn, tabular."""

import tensorflow as tf
from keras import layers as L  # noqa: N812

from rml_export.zoo.configs import Config
from rml_export.zoo.tf_models.keras_layers import (
    Weights,
    attention,
    batch_norm,
    bidirectional_lstm,
    chain,
    conv1d,
    dense,
    embedding,
    gru,
    layer_norm,
)


class BertLayer:
    """Post-norm: norm(x + attention(x)), then norm(x + mlp(x))."""

    def __init__(self, c: Config, w: Weights, name: str) -> None:
        self.attention = attention(w, name, c["heads"])
        self.norm1, self.norm2 = layer_norm(w, f"{name}.norm1"), layer_norm(w, f"{name}.norm2")
        self.mlp = chain(dense(w, f"{name}.fc1", "gelu"), dense(w, f"{name}.fc2"))

    def __call__(self, x: tf.Tensor, visible: tf.Tensor) -> tf.Tensor:
        x = self.norm1(x + self.attention(x, x, attention_mask=visible))
        return self.norm2(x + self.mlp(x))


class Bert:
    """A text classifier. mask: 1 for tokens, 0 for padding, which no token looks at."""

    def __init__(self, c: Config, w: Weights) -> None:
        self.words, self.positions, self.kinds = (embedding(w, name) for name in ("words", "positions", "kinds"))
        self.norm = layer_norm(w, "norm")
        self.layers = [BertLayer(c, w, f"layers.{layer}") for layer in range(c["layers"])]
        self.head = chain(dense(w, "pooler", "tanh"), dense(w, "head"))

    def __call__(self, tokens: tf.Tensor, mask: tf.Tensor) -> tuple[tf.Tensor, tf.Tensor]:
        positions = self.positions(tf.range(tokens.shape[1]))
        x = self.norm(self.words(tokens) + positions + self.kinds(tf.zeros_like(tokens)))
        visible = mask[:, None, :] != 0
        for layer in self.layers:
            x = layer(x, visible)
        return self.head(x[:, 0]), x


class Gru:
    def __init__(self, c: Config, w: Weights) -> None:
        self.layers = chain(gru(w, "gru"), dense(w, "head"))

    def __call__(self, x: tf.Tensor) -> tf.Tensor:
        return self.layers(x)


class Bilstm:
    """A tag for every step, from what came before it and what comes after."""

    def __init__(self, c: Config, w: Weights) -> None:
        self.layers = chain(bidirectional_lstm(w, "lstm"), dense(w, "head"))

    def __call__(self, x: tf.Tensor) -> tf.Tensor:
        return self.layers(x)


class AudioCnn:
    """Keywords in a waveform: a strided stem, then dilated convolutions, each pooled."""

    def __init__(self, c: Config, w: Weights) -> None:
        layers = [L.ZeroPadding1D(c["stem"] // 2), conv1d(w, "stem.conv", strides=c["stem"] // 4)]
        layers += [batch_norm(w, "stem.norm", 3), L.ReLU()]
        for number in range(len(c["widths"]) - 1):
            layers.append(conv1d(w, f"blocks.{number}.conv", padding="same", dilation_rate=2))
            layers += [batch_norm(w, f"blocks.{number}.norm", 3), L.ReLU(), L.MaxPooling1D(2)]
        self.layers = chain(*layers, L.GlobalAveragePooling1D(), dense(w, "head", "log_softmax"))

    def __call__(self, waveform: tf.Tensor) -> tf.Tensor:
        return self.layers(tf.transpose(waveform, (0, 2, 1)))


class Tabular:
    """Columns of categories, each with its embedding, beside columns of numbers."""

    def __init__(self, c: Config, w: Weights) -> None:
        self.embeddings = [embedding(w, f"embeddings.{column}") for column in range(len(c["cardinalities"]))]
        self.norm = batch_norm(w, "norm", 2)
        layers = []
        for number in range(len(c["hidden"])):
            layers += [
                dense(w, f"layers.{number}.fc", "relu"),
                batch_norm(w, f"layers.{number}.norm", 2),
                L.Dropout(0.1),
            ]
        self.layers = chain(*layers, dense(w, "head", "softmax"))

    def __call__(self, categories: tf.Tensor, numbers: tf.Tensor) -> tf.Tensor:
        columns = [embedding(categories[:, i]) for i, embedding in enumerate(self.embeddings)]
        return self.layers(tf.concat([*columns, self.norm(numbers)], axis=1))
