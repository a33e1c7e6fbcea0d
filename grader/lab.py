"""The program that ./lab starts. It is a file beside the packages, so that Python finds them without PYTHONPATH, which
programs under ./lab emulate would inherit."""

from commands import main

if __name__ == "__main__":
    raise SystemExit(main())
