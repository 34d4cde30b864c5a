"""ICC profiles written by hand (ICC.1:2001-04), and the colours they mean, computed without a colour engine."""

import struct

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]

D50 = np.array([0.9642, 1.0, 0.8249])
D65 = np.array([0.95047, 1.0, 1.08883])
SRGB = ((0.64, 0.33), (0.30, 0.60), (0.15, 0.06))
DISPLAY_P3 = ((0.680, 0.320), (0.265, 0.690), (0.150, 0.060))
ADOBE_RGB = ((0.64, 0.33), (0.21, 0.71), (0.15, 0.06))
ADOBE_GAMMA = 563 / 256


def to_d50(primaries: tuple[tuple[float, float], ...]) -> Array:
    """From linear RGB of these primaries and white D65 to XYZ, adapted to D50 by Bradford's matrix."""
    columns = np.array([[x / y, 1.0, (1 - x - y) / y] for x, y in primaries]).T
    to_xyz = columns * np.linalg.solve(columns, D65)
    bradford = np.array([[0.8951, 0.2664, -0.1614], [-0.7502, 1.7135, 0.0367], [0.0389, -0.0685, 1.0296]])
    scale = np.diag((bradford @ D50) / (bradford @ D65))
    return np.linalg.inv(bradford) @ scale @ bradford @ to_xyz


def srgb_linear(value: Array) -> Array:
    return np.where(value <= 0.04045, value / 12.92, ((value + 0.055) / 1.055) ** 2.4)


def srgb_of_xyz(xyz: Array) -> Array:
    """8-bit sRGB of XYZ at D50; what lies outside the gamut is cut off."""
    linear = np.clip(np.linalg.inv(to_d50(SRGB)) @ xyz, 0, 1)
    encoded = np.where(linear <= 0.0031308, linear * 12.92, 1.055 * linear ** (1 / 2.4) - 0.055)
    return np.round(encoded * 255)


def xyz_of_lab(lab: Array) -> Array:
    fy = (lab[0] + 16) / 116
    f = np.array([fy + lab[1] / 500, fy, fy - lab[2] / 200])
    return D50 * np.where(f > 6 / 29, f**3, 3 * (6 / 29) ** 2 * (f - 4 / 29))


def lab_of_cmyk(cmyk: tuple[float, ...]) -> Array:
    """The inks of the profile below: each takes light away evenly, and black takes all of it."""
    c, m, y, k = cmyk
    paper = np.array([100.0, -30 * c + 40 * m, -30 * c + 50 * y]) - np.array([20 * c + 25 * m + 5 * y, 0, 0])
    return paper * (1 - k)


def _fixed(*values: float) -> bytes:
    return struct.pack(f">{len(values)}i", *(round(value * 65536) for value in values))


def _xyz(values: Array) -> bytes:
    return b"XYZ \0\0\0\0" + _fixed(*values)


def _gamma(value: float) -> bytes:
    return b"curv\0\0\0\0" + struct.pack(">IH", 1, round(value * 256)) + b"\0\0"


def _srgb_curve() -> bytes:
    entries = np.round(srgb_linear(np.linspace(0, 1, 4096)) * 65535).astype(">u2")
    return b"curv\0\0\0\0" + struct.pack(">I", 4096) + entries.tobytes()


def _profile(space: bytes, pcs: bytes, name: str, tags: dict[bytes, bytes]) -> bytes:
    text = name.encode() + b"\0"
    tags = {
        b"desc": b"desc\0\0\0\0" + struct.pack(">I", len(text)) + text + bytes(78),
        b"cprt": b"text\0\0\0\0none\0",
        b"wtpt": _xyz(D50),
        **tags,
    }
    table, body, at = b"", b"", 128 + 4 + 12 * len(tags)
    for tag, data in tags.items():
        padded = data + bytes(-len(data) % 4)
        table += struct.pack(">4sII", tag, at + len(body), len(data))
        body += padded
    size = at + len(body)
    head = struct.pack(">I4sI4s4s4s", size, bytes(4), 0x02400000, b"mntr", space, pcs)
    head += struct.pack(">6H", 2026, 1, 1, 0, 0, 0) + b"acsp" + bytes(28) + _fixed(*D50)
    return head.ljust(128, b"\0") + struct.pack(">I", len(tags)) + table + body


def rgb_profile(name: str, primaries: tuple[tuple[float, float], ...], gamma: float | None = None) -> bytes:
    """A monitor's; the curve is sRGB's unless a gamma is given."""
    matrix = to_d50(primaries)
    curve = _srgb_curve() if gamma is None else _gamma(gamma)
    colours = {tag: _xyz(matrix[:, at]) for at, tag in enumerate((b"rXYZ", b"gXYZ", b"bXYZ"))}
    return _profile(b"RGB ", b"XYZ ", name, colours | dict.fromkeys((b"rTRC", b"gTRC", b"bTRC"), curve))


def grey_profile(name: str, gamma: float) -> bytes:
    return _profile(b"GRAY", b"XYZ ", name, {b"kTRC": _gamma(gamma)})


def cmyk_profile(name: str) -> bytes:
    """A table of the 16 ways to print with all of an ink or none of it (lut16Type, Lab as in version 2)."""
    corners = [tuple(float(bit) for bit in f"{n:04b}") for n in range(16)]
    labs = np.array([lab_of_cmyk(corner) for corner in corners])
    encoded = np.column_stack([labs[:, 0] * 652.8, (labs[:, 1:] + 128) * 256]).round().astype(">u2")
    straight = struct.pack(">2H", 0, 65535)
    table = b"mft2\0\0\0\0" + bytes([4, 3, 2, 0]) + _fixed(1, 0, 0, 0, 1, 0, 0, 0, 1)
    table += struct.pack(">2H", 2, 2) + straight * 4 + encoded.tobytes() + straight * 3
    return _profile(b"CMYK", b"Lab ", name, {b"A2B0": table})
