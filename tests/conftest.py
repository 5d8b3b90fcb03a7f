"""What all tests share."""

import signal

# A shell lets its background jobs ignore Ctrl-C, and children inherit that: tests that send one would wait for ever.
signal.signal(signal.SIGINT, signal.default_int_handler)
