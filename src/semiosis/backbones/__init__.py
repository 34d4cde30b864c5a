"""Whatever answers: a model behind an API, a model in this process, a recording.

What a backbone of another package is made of; it is found by the entry-point group `semiosis.backbones`.
"""

from typing import TYPE_CHECKING

from ..core.exports import late

if TYPE_CHECKING:
    from ..core.errors import BackboneError
    from .backbone import Backbone, Message, Reply, Request, TokenLogprob, Traits
    from .pictures import Prepared
    from .providers import ProviderSettings, provider
    from .wrapper import Wrapper

__all__ = [
    "Backbone",
    "BackboneError",
    "Message",
    "Prepared",
    "ProviderSettings",
    "Reply",
    "Request",
    "TokenLogprob",
    "Traits",
    "Wrapper",
    "provider",
]

__getattr__, __dir__ = late(
    __name__,
    {
        "..core.errors": ("BackboneError",),
        "backbone": ("Backbone", "Message", "Reply", "Request", "TokenLogprob", "Traits"),
        "pictures": ("Prepared",),
        "providers": ("ProviderSettings", "provider"),
        "wrapper": ("Wrapper",),
    },
)
