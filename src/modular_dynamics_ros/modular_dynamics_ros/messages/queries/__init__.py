"""Requests and answers of the services that compute."""
