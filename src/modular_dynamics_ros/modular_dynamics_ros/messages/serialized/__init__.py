"""Messages in serialised form, whose numbers are read and written in place."""
