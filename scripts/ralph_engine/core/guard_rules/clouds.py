"""Clouds: what is deleted there is gone, and was paid for."""

from __future__ import annotations

from ..file_effects import has, operands, value
from ..shell.values import name_of
from .rule import Rule
from .targets import is_dry, is_local

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..place import Place
    from ..shell.values import Command

_DELETING = ("delete", "destroy", "terminate", "remove", "purge", "rm", "rb", "deregister")
_PROGRAMS = frozenset(
    "gcloud az doctl eksctl linode-cli hcloud ibmcloud heroku flyctl fly vercel netlify wrangler"
    " firebase railway serverless sls cdk helm oc kubectl glab gh s3cmd".split()
)
_FIRST_WORDS = {
    "kubectl": ("drain",),
    "oc": ("drain",),
    "helm": ("uninstall", "del", "un"),
    "rclone": ("delete", "purge", "deletefile", "rmdirs", "cleanup"),
    "gsutil": ("rm", "rb"),
}
_OWN_THINGS = ("cache", "alias", "config")
_VALUED = "-n --namespace --context --profile --region --project -c --endpoint-url --cluster"


def _deletes(command: Command, _: Place) -> bool:
    name, words = name_of(command.words), command.words[1:]
    found = operands(words, _VALUED)
    if is_dry(words) or (found and found[0] in _OWN_THINGS):
        return False
    if name == "aws":
        return _aws(words, found)
    if name == "gh" and found[:1] == ["api"]:
        return value(words, "-X", "--method").upper() == "DELETE"
    if found and found[0] in _FIRST_WORDS.get(name, ()):
        return True
    verbs = found[:4] if name in ("gcloud", "az", "doctl") else found[:2]
    return name in _PROGRAMS and any(verb.split(":")[-1] in _DELETING for verb in verbs)


def _aws(words: list[str], found: list[str]) -> bool:
    endpoint = value(words, "--endpoint-url")
    if endpoint and is_local(endpoint):
        return False
    if found[:1] == ["s3"]:
        return found[1:2] in (["rm"], ["rb"]) or (found[1:2] == ["sync"] and "--delete" in words)
    action = "".join(found[1:2])
    return action.startswith(
        ("delete-", "terminate-", "remove-", "deregister-", "schedule-key-del")
    )


def _applies(command: Command, _: Place) -> bool:
    name, words = name_of(command.words), command.words[1:]
    found = operands(words, "-var -var-file --stack -s")
    verb = "".join(found[:1])
    if name == "pulumi":
        return verb in ("up", "destroy") and (verb == "destroy" or has(words, "y", "--yes"))
    if name not in ("terraform", "tofu", "terragrunt"):
        return False
    if verb == "state":
        return found[1:2] in (["rm"], ["push"])
    approved = any(word.lstrip("-").startswith(("auto-approve", "destroy")) for word in words)
    return verb in ("destroy", "taint") or (verb == "apply" and approved)


RULES = (
    Rule(
        name="cloud-delete",
        reason="it deletes something in the cloud for good",
        instead="look with the read-only form (`list`, `describe`, `get`, --dry-run) and leave"
        " deleting to a person",
        matches=_deletes,
        denied=(
            "aws s3 rb s3://b --force",
            "aws ec2 terminate-instances --instance-ids i-1",
            "aws s3 rm s3://b --recursive",
            "aws rds delete-db-instance --db-instance-identifier x",
            "gcloud compute instances delete vm",
            "az group delete -n x",
            "kubectl delete ns prod",
            "kubectl -n prod delete pod x",
            "gh repo delete o/r --yes",
            "gh release delete v1",
            "gh api -X DELETE repos/o/r",
            "helm uninstall app",
            "gsutil rm -r gs://b",
            "heroku apps:destroy x",
            "doctl compute droplet delete 1",
        ),
        allowed=(
            "aws s3 ls",
            "kubectl get pods",
            "kubectl delete pod x --dry-run=client",
            "gh pr list",
            "aws --endpoint-url=http://localhost:4566 s3 rb s3://b",
            "helm list",
            "gh cache delete x",
            "kubectl apply -f x.yaml",
            "gcloud compute instances list",
            "gh api repos/o/r",
        ),
    ),
    Rule(
        name="apply-unseen",
        reason="it changes infrastructure without anybody reading the plan",
        instead="`terraform plan -out=plan` and leave applying it to a person",
        matches=_applies,
        denied=(
            *("terraform destroy", "terraform apply -auto-approve", "pulumi up --yes"),
            *("tofu destroy", "terraform state rm aws_instance.x", "terraform apply -destroy"),
        ),
        allowed=("terraform plan", "terraform validate", "terraform fmt", "pulumi preview"),
    ),
)
