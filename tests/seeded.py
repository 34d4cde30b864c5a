"""Weights and pictures made from their names alone, by numpy: the same ones in any environment.

state = {name: seeded(name, shape) for name, shape in shapes.items()}
pixels = seeded_picture(3, (50, 40))
"""

import zlib

import numpy as np
from numpy.typing import NDArray

WORDS = ["a skull beside a candle", "two cats", "memento mori", "good bad photo", "everything glows"]


def seeded(name: str, shape: tuple[int, ...]) -> NDArray[np.float32]:
    """As large as keeps signals alive through layers: norms near 1, biases near 0."""
    noise = np.random.default_rng(zlib.crc32(name.encode())).standard_normal(shape)
    if len(shape) < 2:
        near = 1.0 if name.endswith("weight") else 0.0
        return np.asarray(near + 0.1 * noise, np.float32)
    return np.asarray(noise / np.prod(shape[1:]) ** 0.5, np.float32)


def seeded_picture(number: int, size: tuple[int, int]) -> NDArray[np.uint8]:
    """Height x width x 3: blocks of colour, and a slope across them."""
    width, height = size
    blocks = np.random.default_rng(number).integers(0, 200, (5, 4, 3))
    rows, columns = np.arange(height) * 5 // height, np.arange(width) * 4 // width
    slope = np.add.outer(np.arange(height), np.arange(width)) * 55 // (width + height)
    return (blocks[rows][:, columns] + slope[..., None]).astype(np.uint8)
