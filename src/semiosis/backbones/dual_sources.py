"""Where a model of pictures and texts comes from: a folder of transformers, or a checkpoint of open_clip.

parts = Pretrained(Weights("openai/clip-vit-base-patch32", DUAL)).load()
parts.model.get_image_features(...)             as transformers' CLIPModel has it, whatever it came from
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from ..core.errors import SetupError
from .checkpoints import assembled, of_open_clip, tensors_of
from .kept_models import WeightSource
from .squares import Fit, Square
from .weights import MODEL, PROCESSOR, TOKENIZER, Weights, at_hand, found, holds

if TYPE_CHECKING:
    from PIL.Image import Image

PROCESSING = (TOKENIZER, PROCESSOR)
DUAL = (*MODEL, *PROCESSING)
OPEN_CLIP_BASE = (("config.json",), TOKENIZER)

Arrays = Mapping[str, Any]
BatchTensors = Mapping[str, Any]


@dataclass(frozen=True)
class DualParts:
    """A loaded model of pictures and texts, and what it takes: arrays for one picture, tensors for texts."""

    model: Any
    seen: "Callable[[Image], Arrays]"
    read: Callable[[list[str]], BatchTensors]


class DualSource(WeightSource, Protocol):
    """Where a model of pictures and texts comes from."""

    def load(self) -> DualParts:
        """In this process, wherever torch puts new tensors."""
        ...


@dataclass(frozen=True)
class Pretrained:
    """A folder as transformers saves it; `processing` has the tokenizer and the rest where that has none."""

    weights: Weights
    processing: Weights | None = None

    @property
    def manner(self) -> str:
        return "transformers"

    @property
    def wanted(self) -> tuple[Weights, ...]:
        folder = found(self.weights)
        if self.processing is None or folder is None or holds(folder, PROCESSING):
            return (self.weights,)
        return (self.weights, self.processing)

    def load(self) -> DualParts:
        folder = at_hand(self.weights)
        return dual_parts(auto(folder, "AutoModel"), at_hand(self.wanted[-1]))


@dataclass(frozen=True)
class OpenClipCheckpoint:
    """A file in the layout of open_clip; its shape and its tokenizer are those of `base`, if not beside it.

    weights     whose files name the checkpoint
    base        a folder of transformers with the same architecture; its own tensors are not needed
    fit         how a picture becomes a square
    """

    weights: Weights
    base: Weights
    fit: Fit

    @property
    def manner(self) -> str:
        return f"open_clip {self.fit}"

    @property
    def wanted(self) -> tuple[Weights, ...]:
        folder = found(self.weights)
        if folder is None or holds(folder, OPEN_CLIP_BASE):
            return (self.weights,)
        return (self.weights, self.base)

    def load(self) -> DualParts:
        ((file, *_), *_) = self.weights.files
        base = at_hand(self.wanted[-1])
        config = auto(base, "AutoConfig")
        state = of_open_clip(tensors_of(at_hand(self.weights) / file))
        model = assembled("CLIPModel", config, state, source=file)
        return DualParts(model, Square(config.vision_config.image_size, self.fit), reading(model, base))


def auto(folder: Path, kind: str, **settings: Any) -> Any:
    """What transformers loads from a folder, without a look at the network and without code from there."""
    import transformers

    logging: Any = transformers.utils.logging
    shows = logging.is_progress_bar_enabled()
    try:
        # Its bar would run through the lines of whoever calls.
        logging.disable_progress_bar()
        return getattr(transformers, kind).from_pretrained(
            folder, local_files_only=True, trust_remote_code=False, **settings
        )
    except Exception as error:  # noqa: BLE001 - a damaged folder leads its readers to raise anything
        reason = (str(error).strip() or type(error).__name__).splitlines()[0][:300].rstrip(".")
        raise SetupError(f"{folder} cannot be loaded by transformers: {reason}.") from None
    finally:
        if shows:
            logging.enable_progress_bar()


def dual_parts(model: Any, processing: Path) -> DualParts:
    """A model with the tokenizer and the image processor of a folder."""
    if not all(hasattr(model, each) for each in ("get_image_features", "get_text_features")):
        raise SetupError(f"{type(model).__name__} is no model of pictures and texts, as CLIP and SigLIP are.")
    processor = auto(processing, "AutoImageProcessor", backend="pil")
    return DualParts(
        model, lambda image: processor(images=[image], return_tensors="np"), reading(model, processing)
    )


def reading(model: Any, processing: Path) -> Callable[[list[str]], BatchTensors]:
    """How the model takes texts, by the tokenizer of a folder; what is too long for it is cut."""
    tokenizer = auto(processing, "AutoTokenizer")
    room = model.config.text_config.max_position_embeddings

    def read(texts: list[str]) -> BatchTensors:
        return tokenizer(texts, padding="longest", truncation=True, max_length=room, return_tensors="pt")

    def read_as_siglip(texts: list[str]) -> BatchTensors:
        # Trained on lower case and on texts of one length, padded at their end, the padding not masked.
        tokenizer.padding_side = "right"
        lower = [text.lower() for text in texts]
        tokens: Any = tokenizer(
            lower, padding="max_length", truncation=True, max_length=room, return_tensors="pt"
        )
        return {"input_ids": tokens["input_ids"]}

    return read_as_siglip if model.config.model_type.startswith("siglip") else read
