"""Compares a running server with docs/openapi.yaml, by a walk through the API and by generated requests.

check.py PROGRAM [SEED]
"""

import os
import pathlib
import subprocess
import sys
import tempfile

from description import Description
from origin import Origin
from server import Server
from walk import Fault, Walk

HERE = pathlib.Path(__file__).resolve().parent
DESCRIPTION = HERE.parent.parent / "docs" / "openapi.yaml"
EXAMPLES = os.environ.get("EXAMPLES")
STATEFUL_RUNS = 3


def generated(server: Server, origin: Origin, names: dict[str, str], seed: str) -> bool:
    """Sends generated requests, valid and invalid ones. Returns whether all responses conform."""
    environment = os.environ | {f"MEDIACACHE_API_{name.upper()}": value for name, value in names.items()}
    environment |= {
        "MEDIACACHE_API_ORIGIN": origin.address,
        "MEDIACACHE_API_ADDRESS": server.address,
        "MEDIACACHE_API_KEY": server.key,
        "SCHEMATHESIS_HOOKS": str(HERE / "hooks.py"),
        # The order of sets affects the generated requests, which must depend only on the seed.
        "PYTHONHASHSEED": "0",
    }
    # Without `--checks`, all checks run except those that schemathesis.toml disables for an operation. The health check
    # `too_slow` would fail on a busy machine. The warnings that aren't selected concern removals, which rarely find a
    # record with the generated name, and pictures, which have no schema.
    command = [
        pathlib.Path(sys.executable).parent / "schemathesis", "--config-file", HERE / "schemathesis.toml", "run",
        DESCRIPTION, "--url", server.address, "--request-timeout", "30",
        "--suppress-health-check", "too_slow", "--warnings", "missing_auth,validation_mismatch",
        "--continue-on-failure", "--no-color", "--no-shrink",
    ]  # fmt: skip
    if EXAMPLES:
        command += ["--max-examples", EXAMPLES]
    # Hypothesis ends the stateful phase early if a sequence of requests has a different result when it is repeated. The
    # timing of downloads and recordings may cause that, so the phase runs several times.
    runs = [("examples,coverage,fuzzing", seed)] + [("stateful", str(int(seed) + n)) for n in range(STATEFUL_RUNS)]
    results = [
        subprocess.run(command + ["--phases", phases, "--seed", number], cwd=server.cache.parent, env=environment)
        for phases, number in runs
    ]
    return all(result.returncode == 0 for result in results)


def main() -> int:
    program, seed = sys.argv[1], (sys.argv[2:] or ["20260727"])[0]
    description = Description(DESCRIPTION)
    with tempfile.TemporaryDirectory(prefix="mediacache-api-") as name:
        folder = pathlib.Path(name)
        (folder / "origin").mkdir()
        origin = Origin(folder / "origin")
        server = Server(program, folder)
        try:
            walk = Walk(server, origin, description)
            walk.all()
            print(f"check-api: the responses of all {len(walk.reached)} operations match the description")
            print(f"check-api: generating requests with seed {seed}", flush=True)
            names = walk.fix()
            conforms = generated(server, origin, names, seed)
            if not server.is_running:
                raise Fault("the server has exited")
            walk.find(names)
            if not conforms:
                raise Fault("some responses don't match the description; see above")
        except Fault as fault:
            print(f"check-api: {fault}", file=sys.stderr)
            print("--- the server's log\n" + server.log.read_text(errors="replace")[-12000:], file=sys.stderr)
            return 1
        finally:
            server.close()
            origin.close()
    print("check-api: the API matches docs/openapi.yaml")
    return 0


if __name__ == "__main__":
    sys.exit(main())
