"""Validates manifests of Kubernetes strictly: an unknown field, kind or version is an error.

Prints a line for each file: `FILE: valid`, or what is wrong. The schemas are part of the package kubernetes-validate.
"""

import sys

import kubernetes_validate
import yaml

failed = False
for path in sys.argv[1:]:
    try:
        with open(path, encoding="utf-8") as file:
            resources = [one for one in yaml.safe_load_all(file) if one is not None]
        for resource in resources:
            kubernetes_validate.validate(resource, kubernetes_validate.latest_version(), strict=True)
        print(f"{path}: {'valid' if resources else 'nothing is in it'}")
        failed |= not resources
    except Exception as error:
        failed = True
        message = getattr(error, "message", None) or f"{type(error).__name__}: {error}"
        place = ".".join(str(part) for part in getattr(error, "path", None) or [])
        print(f"{path}: {place}: {message}".replace("\n", " "))
sys.exit(failed)
