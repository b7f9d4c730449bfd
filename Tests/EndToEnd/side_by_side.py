"""Runs the tests of a module at the same time: end-to-end tests spend most of their time waiting."""

from __future__ import annotations

import sys
import unittest
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from unittest.case import doModuleCleanups
from unittest.suite import _ErrorHolder

MOST = 8
"""How many tests of one module run at the same time, unless the module says otherwise."""


class _Record(unittest.TestResult):
    """Keeps what a test reported, to report it later."""

    def __init__(self) -> None:
        super().__init__()
        self.calls: list[tuple[str, tuple]] = []

    def replay(self, result: unittest.TestResult) -> None:
        for name, values in self.calls:
            if hasattr(result, name):
                getattr(result, name)(*values)


def _recording(name: str):
    def record(self: _Record, *values) -> None:
        self.calls.append((name, values))

    return record


for _name in [
    "startTest", "stopTest", "addSuccess", "addFailure", "addError", "addSkip", "addSubTest",
    "addExpectedFailure", "addUnexpectedSuccess", "addDuration",
]:
    setattr(_Record, _name, _recording(_name))


class SideBySide(unittest.TestSuite):
    """A suite whose tests run at the same time and are reported in order.

    Fixtures work as usual: setUpModule, then the setUpClass of every class, then the tests, then the cleanups. So the
    fixtures of all classes of the module exist at the same time, and tests of a class share its fixture at the same
    time.
    """

    most = MOST

    def run(self, result: unittest.TestResult, debug: bool = False) -> unittest.TestResult:
        tests = list(self._flat(self))
        classes = list(dict.fromkeys(map(type, tests)))
        modules = [sys.modules[name] for name in dict.fromkeys(each.__module__ for each in classes)]
        for module in modules:
            if hasattr(module, "setUpModule") and not self._fixture(module.setUpModule, f"setUpModule ({module.__name__})", result):
                self._fixture(doModuleCleanups, f"doModuleCleanups ({module.__name__})", result)
                return result
        try:
            with ThreadPoolExecutor(self.most) as pool:
                prepared = dict(zip(classes, pool.map(lambda each: self._prepare(each, result), classes)))
                for record in pool.map(self._run, [each for each in tests if prepared[type(each)]]):
                    record.replay(result)
            for each in classes:
                if prepared[each]:
                    self._fixture(each.tearDownClass, f"tearDownClass ({each.__qualname__})", result)
                self._fixture(each.doClassCleanups, f"doClassCleanups ({each.__qualname__})", result)
        finally:
            for module in modules:
                if hasattr(module, "tearDownModule"):
                    self._fixture(module.tearDownModule, f"tearDownModule ({module.__name__})", result)
                self._fixture(doModuleCleanups, f"doModuleCleanups ({module.__name__})", result)
        return result

    @classmethod
    def _prepare(cls, case: type[unittest.TestCase], result: unittest.TestResult) -> bool:
        return cls._fixture(case.setUpClass, f"setUpClass ({case.__module__}.{case.__qualname__})", result)

    @staticmethod
    def _fixture(call, name: str, result: unittest.TestResult) -> bool:
        """Runs a fixture; reports its failure as unittest does."""
        try:
            call()
        except unittest.SkipTest as skip:
            result.addSkip(_ErrorHolder(name), str(skip))
        except Exception:
            result.addError(_ErrorHolder(name), sys.exc_info())
        else:
            return True
        return False

    @staticmethod
    def _run(test: unittest.TestCase) -> _Record:
        record = _Record()
        test.run(record)
        return record

    @classmethod
    def _flat(cls, tests: Iterable) -> Iterable[unittest.TestCase]:
        for test in tests:
            if isinstance(test, unittest.TestSuite):
                yield from cls._flat(test)
            else:
                yield test


def load_side_by_side(loader, tests, pattern) -> SideBySide:
    """Loads the tests of a module as ``SideBySide``; import it as ``load_tests``."""
    return SideBySide([tests])
