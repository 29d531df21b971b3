"""Runs Ansible's commands in a container of the tests: ansible_host is the process id of its init."""

import shlex
import subprocess

from ansible.plugins.connection import ConnectionBase

DOCUMENTATION = """
name: container
short_description: enter a container of the tests
description: [Enters the namespaces of a process, as root of this machine.]
options:
  remote_addr:
    description: process id of the container's init
    default: inventory_hostname
    vars: [{ name: ansible_host }]
"""

ENVIRONMENT = ["env", "-i", "PATH=/usr/sbin:/usr/bin:/sbin:/bin", "HOME=/root", "LC_ALL=C.UTF-8"]


class Connection(ConnectionBase):
    transport = "container"
    has_pipelining = True

    def _connect(self):
        self._connected = True
        return self

    def close(self):
        self._connected = False

    def _run(self, words, text=None):
        enter = ["nsenter", "-t", str(self.get_option("remote_addr")), "-a"] + ENVIRONMENT
        done = subprocess.run(enter + words, input=text, capture_output=True, check=False)
        return done.returncode, done.stdout, done.stderr

    def exec_command(self, cmd, in_data=None, sudoable=True):
        super().exec_command(cmd, in_data=in_data, sudoable=sudoable)
        return self._run(["sh", "-c", cmd], in_data or b"")

    def put_file(self, in_path, out_path):
        with open(in_path, "rb") as file:
            self._run(["sh", "-c", "cat >" + shlex.quote(out_path)], file.read())

    def fetch_file(self, in_path, out_path):
        with open(out_path, "wb") as file:
            file.write(self._run(["cat", in_path])[1])
