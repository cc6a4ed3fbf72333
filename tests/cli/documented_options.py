#!/usr/bin/env python3
"""Every subcommand and option of kreplay that a page shows in a command is one that the program has.

    documented_options.py KREPLAY PAGE...
"""
import re
import subprocess
import sys

COMMAND = re.compile(r"\bkreplay ((?:[a-z]+ ?)+)([^\n`|]*)")


def main():
    kreplay, *pages = sys.argv[1:]
    texts = {}

    def help_of(words):
        if words not in texts:
            ended = subprocess.run([kreplay, *words, "--help"], stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                                   text=True, check=False)
            texts[words] = ended.stdout if ended.returncode == 0 else ""
        return texts[words]

    main_help = help_of(())
    commands = set(re.findall(r"^  ([a-z]+) ", main_help[main_help.index("Subcommands:"):], re.MULTILINE))
    checked, failures = 0, []
    for page in pages:
        for match in COMMAND.finditer(open(page, encoding="utf-8").read()):
            words = match.group(1).split()
            if words[0] not in commands:
                continue  # prose
            nested = tuple(words[:2]) if words[0] == "baseline" and len(words) > 1 else (words[0],)
            options = re.findall(r"(?<=\s)--?[a-z][a-z-]*", match.group(2).split(" -- ")[0])
            for option in options:
                checked += 1
                if not re.search(rf"(?<![\w-]){re.escape(option)}\b", help_of(nested)):
                    failures.append(f"{page}: kreplay {' '.join(nested)} has no {option}: {match.group(0)!r}")
    if checked < 20:
        failures.append(f"only {checked} options were found")
    if failures:
        sys.exit("FAILED: " + "\nFAILED: ".join(failures))
    print(f"{checked} options in {len(pages)} pages")


main()
