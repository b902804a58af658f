"""Estimators of scikit-learn as the engine's own model files (docs/MODELS.md)."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from .._models import name_of
from ._inputs import Input, Unsupported, transformed
from ._trees import Flat, forest, hist_tree, joined, sklearn_tree

Document = dict[str, Any]
Array = np.ndarray[Any, Any]


def estimator(model: Any, inputs: list[Input]) -> tuple[Document, list[Input]]:
    """The document of a fitted estimator, and its inputs where it brings a transformer of its own."""
    made = _ESTIMATORS.get(type(model).__name__)
    if made is None or not type(model).__module__.startswith("sklearn"):
        raise Unsupported
    if own := getattr(model, "_preprocessor", None):  # histogram boosting orders its categories once more
        inputs = transformed(inputs, own)
    if any(one.text and one.levels is None for one in inputs):
        raise Unsupported
    document = made(model, len(inputs))
    return _unscaled(document, inputs) if made is _hist else (document, inputs)


def _names(model: Any) -> list[str]:
    return [name_of(c) for c in model.classes_]


def _head(kind: str, outputs: Sequence[str], **rest: Any) -> Document:
    return {"type": kind, "version": 1, "outputs": list(outputs), **rest}


def _list(values: Any) -> list[float]:
    return [float(v) for v in np.asarray(values, dtype="float64").ravel()]


# Trees


def _shares(model: Any) -> list[tuple[Flat, Array]]:
    """The trees of an average with the share of each class at every node."""
    trees = model.estimators_ if hasattr(model, "estimators_") else [model]
    out = []
    for tree in trees:
        values = np.asarray(tree.tree_.value[:, 0, :], dtype="float64")
        shares = values / values.sum(axis=1, keepdims=True)
        out.append((sklearn_tree(tree.tree_), shares / len(trees)))
    return out


def _average(model: Any, cols: int) -> Document:
    if getattr(model, "n_outputs_", 1) != 1:
        raise Unsupported
    return _of_shares(_names(model), cols, _shares(model))


def _of_shares(names: list[str], cols: int, trees: list[tuple[Flat, Array]]) -> Document:
    picked = [1] if len(names) == 2 else list(range(len(names)))
    values = [[shares[:, k] for _, shares in trees] for k in picked]
    return forest(names, cols, "identity", [tree for tree, _ in trees], values, [0.0] * len(picked))


def _mean_tree(model: Any, cols: int) -> Document:
    trees = model.estimators_ if hasattr(model, "estimators_") else [model]
    values = [np.asarray(tree.tree_.value[:, 0, 0]) / len(trees) for tree in trees]
    return forest(["score"], cols, "identity", [sklearn_tree(t.tree_) for t in trees], [values], [0.0])


def _gradient(model: Any, cols: int) -> Document:
    if type(model.init_).__name__ not in ("DummyClassifier", "DummyRegressor") and model.init_ != "zero":
        raise Unsupported
    classes = hasattr(model, "classes_")
    base = np.zeros(model.estimators_.shape[1]) if isinstance(model.init_, str) else model._raw_predict_init(np.zeros((1, cols)))
    factor = 2.0 if model.loss == "exponential" else 1.0
    columns = model.estimators_.shape[1]
    grown = [[sklearn_tree(tree.tree_) for tree in model.estimators_[:, k]] for k in range(columns)]
    values = [
        [factor * model.learning_rate * tree.tree_.value[:, 0, 0] for tree in model.estimators_[:, k]] for k in range(columns)
    ]
    link = ("logistic" if columns == 1 else "softmax") if classes else "identity"
    names = _names(model) if classes else ["score"]
    return joined(names, cols, link, grown, values, _list(factor * np.asarray(base).ravel()), float32=True)


def _hist(model: Any, cols: int) -> Document:
    classes = hasattr(model, "classes_")
    columns = len(model._predictors[0])
    grown, values = [], []
    for k in range(columns):
        made = [hist_tree(stage[k]) for stage in model._predictors]
        grown.append([tree for tree, _ in made])
        values.append([value for _, value in made])
    link = ("logistic" if columns == 1 else "softmax") if classes else _LINKS[type(model._loss.link).__name__]
    names = _names(model) if classes else ["score"]
    return joined(names, cols, link, grown, values, _list(model._baseline_prediction), float32=False)


_LINKS = {"IdentityLink": "identity", "LogLink": "exp"}


def _unscaled(made: Document, inputs: list[Input]) -> tuple[Document, list[Input]]:
    """Trees over columns as they were before they were scaled: doubles are compared, and a cut may be a cell to the last bit."""
    plain = [one.levels is not None for one in inputs]
    for tree in made["trees"]:
        splits = [k for k in tree["feature"] if k >= 0]
        tree["threshold"] = [cut if plain[k] else inputs[k].before(cut) for k, cut in zip(splits, tree["threshold"])]
    before = [one if one.levels is not None else replace(one, missing=one.before(one.missing), mean=0, scale=1, steps=()) for one in inputs]
    return made, before


def _adaboost(model: Any, cols: int) -> Document:
    names, weights = _names(model), np.asarray(model.estimator_weights_, dtype="float64")[: len(model.estimators_)]
    count, total = len(names), float(weights.sum())
    steep = getattr(model, "algorithm", "SAMME") == "SAMME.R"
    trees, tables = [], []
    for tree, weight in zip(model.estimators_, weights):
        raw = np.asarray(tree.tree_.value[:, 0, :], dtype="float64")
        full = np.zeros((len(raw), count))
        full[:, [list(model.classes_).index(c) for c in tree.classes_]] = raw / raw.sum(axis=1, keepdims=True)
        if steep:
            logs = np.log(np.clip(full, np.finfo("float64").eps, None))
            table = (count - 1) * (logs - logs.mean(axis=1, keepdims=True))
        else:
            best = np.argmax(full, axis=1)
            table = np.where(np.arange(count) == best[:, None], weight, -weight / (count - 1))
        trees.append(sklearn_tree(tree.tree_))
        tables.append(table / total)
    if count == 2:
        return forest(names, cols, "logistic", trees, [[t[:, 1] - t[:, 0] for t in tables]], [0.0])
    values = [[t[:, k] / (count - 1) for t in tables] for k in range(count)]
    return forest(names, cols, "softmax", trees, values, [0.0] * count)


def _bagging(model: Any, cols: int) -> Document:
    names = _names(model)
    own = list(zip(model.estimators_, model.estimators_features_))
    if all(type(one).__name__ in ("DecisionTreeClassifier", "ExtraTreeClassifier") for one, _ in own):
        trees = []
        for tree, features in own:
            shares = np.zeros((tree.tree_.node_count, len(names)))
            raw = np.asarray(tree.tree_.value[:, 0, :], dtype="float64")
            shares[:, np.asarray(tree.classes_, dtype="int64")] = raw / raw.sum(axis=1, keepdims=True)
            flat = sklearn_tree(tree.tree_)
            inner = np.where(flat.feature >= 0, np.asarray(features)[np.maximum(flat.feature, 0)], -1)
            trees.append((replace(flat, feature=inner), shares / len(own)))
        return _of_shares(names, cols, trees)
    if any(list(features) != list(range(cols)) for _, features in own):
        raise Unsupported
    return _mean(names, [(1 / len(own), document(one, cols)) for one, _ in own])


def _mean(names: list[str], members: list[tuple[float, Document]]) -> Document:
    if any(len(member["outputs"]) != len(names) for _, member in members):
        raise Unsupported
    return _head("mean", names, members=[{"weight": weight, "model": {**member, "outputs": names}} for weight, member in members])


def _voting(model: Any, cols: int) -> Document:
    if model.voting != "soft":
        raise Unsupported
    told = None if model.weights is None else [w for w, (_, one) in zip(model.weights, model.estimators) if one != "drop"]
    weights = np.asarray(told if told is not None else np.ones(len(model.estimators_)), dtype="float64")
    shares = weights / weights.sum()
    return _mean(_names(model), [(float(w), document(one, cols)) for w, one in zip(shares, model.estimators_)])


def document(model: Any, cols: int) -> Document:
    """The document of an estimator over the inputs it shares with others."""
    made = _ESTIMATORS.get(type(model).__name__)
    if made is None or getattr(model, "_preprocessor", None) is not None:
        raise Unsupported
    return made(model, cols)


# Margins: the decision function of a classifier, as a document of two outputs with one margin


def margin(model: Any, cols: int) -> Document:
    """What a calibration reads: the decision function, or else the probability of the second class."""
    name = type(model).__name__
    if callable(getattr(model, "decision_function", None)):
        if name in ("SVC", "NuSVC"):
            return _svc_margin(model)
        made = document(model, cols)
        if made.get("link") not in ("logistic", "identity"):
            raise Unsupported
        return {**made, "type": "logistic" if made["type"] == "linear" else made["type"], "link": "identity"}
    return document(model, cols)


def _scaled(made: Document, factor: float, shift: float) -> Document:
    """σ(factor · margin + shift) of a document whose scores are its margins."""
    if made["type"] == "forest":
        forests = [{**one, "base": factor * one["base"] + shift, "values": [_list(factor * np.asarray(v)) for v in one["values"]]} for one in made["forests"]]
        return {**made, "link": "logistic", "forests": forests}
    if made["type"] in ("logistic", "svm", "rbf"):
        weights = _list(factor * np.asarray(made["weights"]))
        return {**made, "link": "logistic", "weights": weights, "intercepts": [factor * made["intercepts"][0] + shift]}
    raise Unsupported


def _calibrated(model: Any, cols: int) -> Document:
    names, members = _names(model), []
    if len(names) != 2:
        raise Unsupported
    for one in model.calibrated_classifiers_:
        base = getattr(one, "estimator", None) or one.base_estimator
        calibrator = one.calibrators[0] if hasattr(one, "calibrators") else one.calibrators_[0]
        if type(base).__name__ == "FrozenEstimator":
            base = base.estimator
        if type(base).__name__ == "Pipeline":
            raise Unsupported
        made = {**margin(base, cols), "outputs": names}
        if hasattr(calibrator, "a_"):
            members.append(_scaled(made, -float(calibrator.a_), -float(calibrator.b_)))
        else:
            points = [[float(x), float(y)] for x, y in zip(calibrator.X_thresholds_, calibrator.y_thresholds_)]
            members.append(_head("calibrated", names, model=made, table=points))
    if len(members) == 1:
        return members[0]
    return _mean(names, [(1 / len(members), member) for member in members])


# Linear models, kernels, networks


def _linear_classifier(model: Any, cols: int) -> Document:
    coef, intercept = np.atleast_2d(model.coef_), np.atleast_1d(model.intercept_)
    names = _names(model)
    if len(coef) == 1:
        return _head("logistic", names, link="logistic", cols=cols, weights=_list(coef), intercepts=_list(intercept))
    if getattr(model, "multi_class", "multinomial") == "ovr" or getattr(model, "solver", "") == "liblinear":
        raise Unsupported
    return _head("logistic", names, link="softmax", cols=cols, weights=_list(coef), intercepts=_list(intercept))


def _sgd(model: Any, cols: int) -> Document:
    if model.loss == "log_loss" and len(model.classes_) == 2:
        return _linear_classifier(model, cols)
    return _decision(model, cols)


def _decision(model: Any, cols: int) -> Document:
    """A distance from the boundary of two classes."""
    if len(np.atleast_2d(model.coef_)) != 1 or callable(getattr(model, "predict_proba", None)):
        raise Unsupported
    return _regression(model, cols)


def _regression(model: Any, cols: int) -> Document:
    coef, intercept = np.asarray(model.coef_, dtype="float64"), np.asarray(model.intercept_, dtype="float64")
    if coef.size != cols or intercept.size != 1:
        raise Unsupported
    return _head("linear", ["score"], link="identity", cols=cols, weights=_list(coef), intercepts=_list(intercept))


def _svc_margin(model: Any) -> Document:
    names = _names(model)
    if len(names) != 2:
        raise Unsupported
    if model.kernel == "linear":
        return _head("logistic", names, link="identity", cols=model.coef_.shape[1], weights=_list(model.coef_), intercepts=_list(model.intercept_))
    if model.kernel != "rbf" or not isinstance(model.dual_coef_, np.ndarray):
        raise Unsupported
    centres = np.asarray(model.support_vectors_, dtype="float64")
    return _head(
        "rbf",
        names,
        link="identity",
        units=len(centres),
        cols=centres.shape[1],
        centres=_list(centres),
        rates=[float(model._gamma)] * len(centres),
        weights=_list(model.dual_coef_),
        intercepts=_list(model.intercept_),
    )


def _svc(model: Any, cols: int) -> Document:
    if getattr(model, "probability", False) is True:  # libsvm finds it by steps that end early
        raise Unsupported
    made = _svc_margin(model)
    if model.kernel == "linear":
        return _decision(model, cols)
    return _head("mean", ["score"], members=[{"weight": 1.0, "model": made}], output=1)


def _mlp(model: Any, cols: int) -> Document:
    weights = [np.asarray(w, dtype="float64").T for w in model.coefs_]
    biases = [np.asarray(b, dtype="float64") for b in model.intercepts_]
    if model.activation == "identity":  # a product of matrices
        link = "logistic" if len(biases[-1]) == 1 else "softmax"
        coef, shift = weights[0], biases[0]
        for w, b in zip(weights[1:], biases[1:]):
            coef, shift = w @ coef, w @ shift + b
        return _head("logistic", _names(model), link=link, cols=cols, weights=_list(coef), intercepts=_list(shift))
    if model.activation == "logistic":  # σ(v) = (1 + tanh(v / 2)) / 2
        for k in range(len(weights)):
            if k > 0:
                biases[k] = biases[k] + weights[k].sum(axis=1) / 2
                weights[k] = weights[k] / 2
            if k < len(weights) - 1:
                weights[k], biases[k] = weights[k] / 2, biases[k] / 2
    parameters = [v for w, b in zip(weights, biases) for v in (*_list(w), *_list(b))]
    sizes = [cols, *(len(b) for b in biases)]
    activation = "relu" if model.activation == "relu" else "tanh"
    return _head("mlp", _names(model), activation=activation, sizes=sizes, parameters=parameters)


def _qda(model: Any, cols: int) -> Document:
    classes = []
    for mean, rotation, scaling, prior in zip(model.means_, model.rotations_, model.scalings_, model.priors_):
        factor = np.linalg.cholesky((rotation * scaling) @ rotation.T)
        constant = float(np.log(prior) - np.log(np.diag(factor)).sum())
        classes.append({"mean": _list(mean), "factor": _list(factor), "constant": constant})
    return _head("qda", _names(model), cols=cols, classes=classes)


def _process(model: Any, names: list[str], cols: int) -> Document:
    kernel, constant = model.kernel_, 1.0
    if type(kernel).__name__ == "Product" and type(kernel.k1).__name__ == "ConstantKernel":
        kernel, constant = kernel.k2, float(kernel.k1.constant_value)
    if type(kernel).__name__ != "RBF" or np.ndim(kernel.length_scale) != 0:
        raise Unsupported
    return _head(
        "gp",
        names,
        constant=constant,
        length=float(kernel.length_scale),
        cols=cols,
        rows=_list(model.X_train_),
        pulls=_list(model.y_train_ - model.pi_),
        root=_list(model.W_sr_),
    )


def _gp(model: Any, cols: int) -> Document:
    names = _names(model)
    if len(names) == 2:
        return _process(model.base_estimator_, names, cols)
    raise Unsupported


_ESTIMATORS: Mapping[str, Callable[[Any, int], Document]] = {
    "DecisionTreeClassifier": _average,
    "ExtraTreeClassifier": _average,
    "RandomForestClassifier": _average,
    "ExtraTreesClassifier": _average,
    "DecisionTreeRegressor": _mean_tree,
    "ExtraTreeRegressor": _mean_tree,
    "RandomForestRegressor": _mean_tree,
    "ExtraTreesRegressor": _mean_tree,
    "GradientBoostingClassifier": _gradient,
    "GradientBoostingRegressor": _gradient,
    "HistGradientBoostingClassifier": _hist,
    "HistGradientBoostingRegressor": _hist,
    "AdaBoostClassifier": _adaboost,
    "BaggingClassifier": _bagging,
    "VotingClassifier": _voting,
    "CalibratedClassifierCV": _calibrated,
    "LogisticRegression": _linear_classifier,
    "LogisticRegressionCV": _linear_classifier,
    "LinearDiscriminantAnalysis": _linear_classifier,
    "SGDClassifier": _sgd,
    **dict.fromkeys(["RidgeClassifier", "RidgeClassifierCV", "LinearSVC", "Perceptron", "PassiveAggressiveClassifier"], _decision),
    **dict.fromkeys(["LinearRegression", "Ridge", "RidgeCV", "BayesianRidge", "HuberRegressor"], _regression),
    **dict.fromkeys(["Lasso", "LassoCV", "ElasticNet", "ElasticNetCV", "SGDRegressor", "LinearSVR"], _regression),
    "SVC": _svc,
    "NuSVC": _svc,
    "MLPClassifier": _mlp,
    "QuadraticDiscriminantAnalysis": _qda,
    "GaussianProcessClassifier": _gp,
}
