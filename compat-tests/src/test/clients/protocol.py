"""Commands from standard input, answers to standard output; see ProcessSession.java."""

import os
import sys
import traceback

# What a client prints by itself must not get among the answers.
answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
os.dup2(2, 1)
commands = os.fdopen(os.dup(0), "r", encoding="utf-8")


class NotOffered(Exception):
    """The client has no such thing."""


def serve(handlers):
    """Runs a function for each command, named as the command with _ for -, with its words."""
    for line in commands:
        name, *words = line.rstrip("\n").split("\t")
        try:
            handler = handlers.get(name.replace("-", "_"))
            if handler is None:
                raise NotOffered()
            for found in handler(*words) or []:
                answers.write("| %s\n" % found)
            answers.write("= done\n")
        except NotOffered:
            answers.write("= not offered\n")
        except Exception as e:
            traceback.print_exc()
            answers.write("= refused %s: %s\n" % (error_name(e), " ".join(str(e).split())))
        answers.flush()


def error_name(e):
    return getattr(e, "matrix_name", type(e).__name__)


class Record:
    """A record as it stands in commands and answers."""

    def __init__(self, key, value, headers, timestamp):
        self.key, self.value, self.headers, self.timestamp = key, value, headers, timestamp

    @staticmethod
    def read(file):
        with open(file, encoding="utf-8") as lines:
            for line in lines:
                key, value, headers, timestamp = line.rstrip("\n").split("\t")
                pairs = [header.split("=", 1) for header in headers.split(";")]
                yield Record(
                    None if key == "~" else key.encode(),
                    None if value == "~" else value.encode(),
                    [(name, text.encode()) for name, text in pairs],
                    int(timestamp),
                )

    def __str__(self):
        return "\t".join(
            [
                "~" if self.key is None else self.key.decode(),
                "~" if self.value is None else self.value.decode(),
                ";".join("%s=%s" % (name, value.decode()) for name, value in self.headers),
                str(self.timestamp),
            ]
        )
