"""Certificates for twins that speak TLS, made for each test: no key of anybody lies about."""

from __future__ import annotations

import datetime
import ipaddress
import ssl
from typing import TYPE_CHECKING

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec

if TYPE_CHECKING:
    from pathlib import Path

_DAY = datetime.timedelta(days=1)


def self_signed(file: Path, *, ended_days_ago: int = -30, host: str = "") -> ssl.SSLContext:
    """What a server on 127.0.0.1 speaks TLS with; its certificate, and its key, are put in *file*.

    host: the name that it is for instead.
    """
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "a twin")])
    end = datetime.datetime.now(datetime.UTC) - ended_days_ago * _DAY
    address = x509.DNSName(host) if host else x509.IPAddress(ipaddress.ip_address("127.0.0.1"))
    here = x509.SubjectAlternativeName([address])
    certificate = (
        x509.CertificateBuilder(name, name, key.public_key(), x509.random_serial_number())
        .not_valid_before(end - 90 * _DAY)
        .not_valid_after(end)
        .add_extension(here, critical=False)
        .add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
        .sign(key, hashes.SHA256())
    )
    pem = serialization.Encoding.PEM
    plain = serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    file.write_bytes(certificate.public_bytes(pem) + key.private_bytes(pem, *plain))
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(file)
    return context
