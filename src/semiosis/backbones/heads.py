"""Small heads that make one number of a vector, as checkpoints hold them: linear layers, one after the other.

    head = Head.of(tensors_of(path), source=path.name)
    head(vector)

LAION's aesthetic predictors and ImageReward's reward are such heads; which layers have a ReLU between them is
told by their numbers (dropout and activations count too).
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ..core.errors import SetupError

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from .embeddings import Vector

# https://github.com/christophschuhmann/improved-aesthetic-predictor: what stands between the linear layers.
_PLAIN, _RELU = (0, 2, 4, 6, 7), (0, 3, 6, 9, 11)
_LAYER = re.compile(r"(?:layers\.)?(\d+)\.(weight|bias)")


@dataclass(frozen=True)
class Head:
    """Weights and biases, and whether what is negative is cut between them."""

    layers: "tuple[tuple[NDArray[np.float32], NDArray[np.float32]], ...]"
    cuts: bool

    @classmethod
    def of(cls, tensors: Mapping[str, Any], source: str) -> "Head":
        """Of one linear layer, or of several by number; whatever else a file holds is passed over."""
        single = {"weight", "bias"}
        for prefix in ("", "predictor."):
            if single <= {name.removeprefix(prefix) for name in tensors if name.startswith(prefix)}:
                return cls((_layer(tensors, prefix),), cuts=False)
        numbers = {int(part[1]) for name in tensors if (part := _LAYER.fullmatch(name))}
        order = tuple(sorted(numbers))
        if order not in (_PLAIN, _RELU):
            raise SetupError(f"{source} holds no head that is known: its layers are {list(order)}.")
        begin = "layers." if f"layers.{order[0]}.weight" in tensors else ""
        return cls(tuple(_layer(tensors, f"{begin}{number}.") for number in order), cuts=order == _RELU)

    @property
    def width(self) -> int:
        """The length of the vectors it takes."""
        return int(self.layers[0][0].shape[1])

    def __call__(self, vector: "Vector") -> float:
        if len(vector) != self.width:
            raise SetupError(
                f"The head takes vectors of {self.width} numbers, and the encoder gives {len(vector)}: name "
                "the weights it was trained on."
            )
        values: Any = vector
        for number, (weight, bias) in enumerate(self.layers):
            cut = values.clip(0) if self.cuts and number else values
            values = weight @ cut + bias
        return float(values[0])


def _layer(tensors: Mapping[str, Any], prefix: str) -> "tuple[NDArray[np.float32], NDArray[np.float32]]":
    weight, bias = (tensors[prefix + part].float().numpy() for part in ("weight", "bias"))
    return weight, bias
