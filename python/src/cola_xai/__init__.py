"""
Counterfactuals with limited actions: the few edits that change a model's decision.

    import cola_xai as cola
    study = cola.Study(model, X_train, target=1)
    result = study.explain(X_refused)
    result.plans, result.edits, result.reasons
"""

from ._errors import ColaError, EngineError
from ._functions import couple, pshap, refine
from ._result import Result
from ._study import Study

__all__ = ["ColaError", "EngineError", "Result", "Study", "couple", "pshap", "refine"]
__version__ = "0.1.0"
