"""Publishing: packages, images and releases that cannot be taken back."""

from __future__ import annotations

from ..file_effects import operands, value
from ..shell.values import name_of
from .rule import Rule
from .targets import is_dry, is_local

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..place import Place
    from ..shell.values import Command

# The words behind the program that publish; '' for one that does nothing else.
_VERBS: dict[str, tuple[str, ...]] = {
    "npm": ("publish", "unpublish", "deprecate", "dist-tag add", "owner add"),
    "yarn": ("publish", "npm publish"),
    "cargo": ("publish", "yank", "owner"),
    "twine": ("upload",),
    "gem": ("push", "yank"),
    **dict.fromkeys(("mvn", "mvnw"), ("deploy", "release:perform")),
    **dict.fromkeys(("gradle", "gradlew"), ("publish", "uploadArchives", "publishPlugins")),
    "gh": ("release create", "release upload", "release edit", "gist create"),
    "glab": ("release create",),
    "dotnet": ("nuget push",),
    "nuget": ("push",),
    "helm": ("push",),
    "pod": ("trunk push",),
    "goreleaser": ("release",),
    "luarocks": ("upload",),
    "mix": ("hex.publish",),
    "cabal": ("upload",),
    "sbt": ("publish", "publishSigned"),
    **dict.fromkeys(("python", "python3"), ("twine upload",)),
    **dict.fromkeys(("semantic-release", "release-it", "np"), ("",)),
    **dict.fromkeys(("pnpm", "bun", "deno", "jsr", "uv", "poetry", "flit"), ("publish",)),
    **dict.fromkeys(("hatch", "pdm", "vsce", "ovsx", "lerna", "changeset"), ("publish",)),
}
_VALUED = "--registry --otp --tag --access -C --prefix -w --workspace -r --repository -p --package"


def _publishes(command: Command, _: Place) -> bool:
    name, words = name_of(command.words), command.words[1:]
    if is_dry(words) or {"--snapshot", "--version", "-h"} & set(words):
        return False
    registry = value(words, "--registry", "--repository-url", "--index-url")
    if registry and is_local(registry):
        return False
    found = " ".join(operands(words, _VALUED)) + " "
    return any(verb == "" or found.startswith(verb + " ") for verb in _VERBS.get(name, ()))


def _pushes_image(command: Command, _: Place) -> bool:
    words = command.words[1:]
    found = operands(words, "-f --file --context -H --host -t --tag")
    if name_of(command.words) not in ("docker", "podman", "nerdctl"):
        return False
    if found[:1] == ["push"] or found[:2] in (["image", "push"], ["compose", "push"]):
        return not ("/" in found[-1] and is_local(found[-1]))
    return "--push" in words and "build" in found[:2]


RULES = (
    Rule(
        name="publish-package",
        reason="it publishes a package or a release under a person's name",
        instead="build it (`npm pack`, `cargo package`, `python -m build`) or use --dry-run;"
        " publishing is a person's step",
        matches=_publishes,
        denied=(
            *(
                "npm publish",
                "cargo publish",
                "twine upload dist/*",
                "uv publish",
                "gem push x.gem",
            ),
            *("yarn npm publish", "gh release create v1", "python -m twine upload dist/*"),
            *("npm --registry https://x.io publish", "npx semantic-release"),
            "poetry publish --build",
        ),
        allowed=(
            *("npm publish --dry-run", "npm pack", "cargo package", "npm run publish-docs"),
            *("npm publish --registry http://localhost:4873", "gh release list", "uv build"),
        ),
    ),
    Rule(
        name="push-image",
        reason="it publishes an image under a person's name",
        instead="build it with `docker build`; pushing is a person's step",
        matches=_pushes_image,
        denied=(
            *("docker push me/app:1", "docker buildx build --push -t me/app ."),
            "docker image push me/app",
        ),
        allowed=("docker push localhost:5000/app", "docker build -t app .", "docker pull alpine"),
    ),
)
