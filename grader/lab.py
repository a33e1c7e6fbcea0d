"""What ./lab starts; a file of its own so that the launcher is found without PYTHONPATH, which programs under
./lab emulate would inherit."""

from launcher.main import main

if __name__ == "__main__":
    raise SystemExit(main())
