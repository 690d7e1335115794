"""scripts/check-includes finds every kind of fault it promises to find, and passes what is right."""

import pathlib
import subprocess
import sys
import tempfile
import unittest

SCRIPT = pathlib.Path(__file__).resolve().parents[2] / "scripts" / "check-includes"


class CheckIncludes(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory(prefix="check includes ")
        self.addCleanup(self.folder.cleanup)
        self.write("env/position.h", "#pragma once\n#include <vector>\n")
        self.write("search/tree.h", '#pragma once\n#include "env/position.h"\n')
        self.write("model/network.cc", '#include <torch/torch.h>\n\n#include "search/tree.h"\n')
        self.write("tests/search/tree_test.cc", '#include "search/tree.h"\n#include "tests/search/naive.h"\n')
        self.write("tests/search/naive.h", '#pragma once\n#include "env/position.h"\n')

    def write(self, name, text):
        path = pathlib.Path(self.folder.name) / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")

    def run_script(self):
        return subprocess.run(
            [sys.executable, SCRIPT, self.folder.name], capture_output=True, text=True, check=False
        )

    def expect_fault(self, name, text, where, what):
        self.write(name, text)
        result = self.run_script()
        self.assertEqual(result.returncode, 1, result.stderr)
        self.assertEqual(len(result.stdout.splitlines()), 1, result.stdout)
        self.assertTrue(result.stdout.startswith(where + ": "), result.stdout)
        self.assertIn(what, result.stdout)

    def test_a_sound_tree_passes_in_silence(self):
        result = self.run_script()
        self.assertEqual((result.returncode, result.stdout, result.stderr), (0, "", ""))

    def test_a_floor_must_not_include_one_above_it(self):
        self.expect_fault("env/a.cc", '\n#include "search/tree.h"\n', "env/a.cc:2", "env is below search")

    def test_tests_of_a_floor_must_not_include_one_above_it(self):
        self.write("model/network.h", "#pragma once\n")
        self.expect_fault(
            "tests/search/a_test.cc", '#include "model/network.h"\n', "tests/search/a_test.cc:1", "below model"
        )

    def test_a_floor_must_not_include_tests(self):
        self.expect_fault("search/a.cc", '#include "tests/search/naive.h"\n', "search/a.cc:1", "tests")

    def test_libraries_stay_on_their_floors(self):
        for header, library in [
            ("torch/torch.h", "LibTorch"),
            ("ATen/ATen.h", "LibTorch"),
            ("yaml-cpp/yaml.h", "yaml-cpp"),
            ("nlohmann/json.hpp", "nlohmann-json"),
            ("oneapi/dnnl/dnnl.hpp", "oneDNN"),
        ]:
            with self.subTest(header):
                self.expect_fault("search/a.cc", f"#include <{header}>\n", "search/a.cc:1", library)

    def test_torch_stays_in_model_even_above_it(self):
        self.expect_fault("eval/a.cc", "#include <torch/script.h>\n", "eval/a.cc:1", "LibTorch")

    def test_relative_includes_are_refused(self):
        self.expect_fault("search/a.cc", '#include "../env/position.h"\n', "search/a.cc:1", '".."')
        self.expect_fault("search/a.cc", '#include "tree.h"\n', "search/a.cc:1", "no such file")

    def test_project_headers_are_quoted(self):
        self.expect_fault("search/a.cc", "#include <env/position.h>\n", "search/a.cc:1", '""')

    def test_headers_need_pragma_once(self):
        self.expect_fault("env/a.h", "int a();\n", "env/a.h:1", "#pragma once")

    def test_files_have_a_greatest_length(self):
        self.write("env/long.h", "#pragma once\n" + "\n" * 299)
        self.write("env/long.cc", "\n" * 700)
        self.assertEqual(self.run_script().returncode, 0)
        self.expect_fault("env/long.h", "#pragma once\n" + "\n" * 300, "env/long.h:301", "301 lines")
        self.write("env/long.h", "#pragma once\n")
        self.expect_fault("env/long.cc", "\n" * 701, "env/long.cc:701", "701 lines")

    def test_a_folder_without_sources_is_an_error(self):
        result = subprocess.run(
            [sys.executable, SCRIPT, "/nonexistent"], capture_output=True, text=True, check=False
        )
        self.assertEqual(result.returncode, 2)


if __name__ == "__main__":
    unittest.main()
