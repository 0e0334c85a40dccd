"""Fetching a picture or clip from a public address, and from nowhere else.

A name is resolved once, every address that it has must be public, and the connection goes to one of those that were
checked: a name that answers differently the second time (DNS rebinding) reaches nothing.
"""

from __future__ import annotations

import asyncio
import ipaddress
import socket

import httpx

from studio.errors import BadInput, ServerUnreachable, TooLarge
from studio.requests import shown

MAX_BYTES = 64 * 2**20
TIMEOUT_S = 30.0
"""For the whole file."""
CONNECT_TIMEOUT_S = 5.0
MAX_REDIRECTS = 3

NAT64 = ipaddress.ip_network("64:ff9b::/96")
"""IPv4 addresses as IPv6 ones (RFC 6052): they lead where those lead."""

Address = ipaddress.IPv4Address | ipaddress.IPv6Address


async def fetch_media(address: str, transport: httpx.AsyncBaseTransport | None = None) -> bytes:
    """The bytes at an http(s) address.

    Redirects are followed within one scheme, host and port; each is checked like the first address.

    Args:
        address: as it was given.
        transport: in place of the network, for tests.

    Raises:
        BadInput: it is no address, is not public, or does not answer with a file.
        TooLarge: more than 64 MiB.
        ServerUnreachable: nobody answers there, or not in time.
    """
    try:
        async with asyncio.timeout(TIMEOUT_S):
            return await _fetch(address, transport)
    except TimeoutError:
        raise ServerUnreachable(
            f"{shown(address)} took more than {TIMEOUT_S:.0f} s.", hint="Upload the file."
        ) from None


async def _fetch(address: str, transport: httpx.AsyncBaseTransport | None) -> bytes:
    url = _parsed(address)
    # No proxy of the environment: it would resolve the name again.
    timeout = httpx.Timeout(TIMEOUT_S, connect=CONNECT_TIMEOUT_S)
    async with httpx.AsyncClient(timeout=timeout, trust_env=False, transport=transport) as client:
        for _ in range(MAX_REDIRECTS + 1):
            place = await public_address(url.host, url.port or (443 if url.scheme == "https" else 80))
            try:
                async with client.stream(
                    "GET",
                    url.copy_with(host=str(place)),
                    # The name still stands in the request, and the certificate must be its own.
                    headers={"host": url.netloc.decode(), "accept-encoding": "identity"},
                    extensions={"sni_hostname": url.raw_host.decode()},
                ) as response:
                    if not response.is_redirect:
                        return await _content(response, address)
                    url = _followed(url, response, address)
            except httpx.HTTPError as error:
                reason = str(error) or type(error).__name__
                raise ServerUnreachable(
                    f"{shown(address)} cannot be fetched: {shown(reason)}.", hint="Upload the file."
                ) from None
    raise BadInput(f"{shown(address)} redirects more than {MAX_REDIRECTS} times.", hint="Use the final URL.")


async def _content(response: httpx.Response, address: str) -> bytes:
    if response.status_code != 200:
        raise BadInput(f"{shown(address)} answered {response.status_code}; expected a file.", hint="Upload the file.")
    raw = bytearray()
    async for chunk in response.aiter_raw():
        raw += chunk
        if len(raw) > MAX_BYTES:
            raise TooLarge(
                f"{shown(address)} is larger than {MAX_BYTES:,} bytes.", hint="Trim it to the part that you need."
            )
    return bytes(raw)


async def public_address(host: str, port: int) -> Address:
    """An address of a host, all of whose addresses are public.

    Raises:
        BadInput: one of them is not.
        ServerUnreachable: it has none.
    """
    try:
        found = await asyncio.get_running_loop().getaddrinfo(host, port, type=socket.SOCK_STREAM)
    except (OSError, UnicodeError):
        raise ServerUnreachable(f"There is no host {shown(host)}.", hint="Check the URL.") from None
    addresses = [ipaddress.ip_address(str(entry[4][0]).partition("%")[0]) for entry in found]
    if not addresses or not all(map(is_public, addresses)):
        raise BadInput(
            f"{shown(host)} is not a public address; only public addresses are allowed.",
            hint="Upload the file instead.",
        )
    # IPv4 first: where IPv6 leads nowhere, that shows only after a while.
    return min(addresses, key=lambda address: address.version)


def is_public(address: Address) -> bool:
    """Whether an address is everybody's: not this machine's, its network's, or an embedding of such a one."""
    if isinstance(address, ipaddress.IPv6Address):
        teredo = address.teredo
        embedded = [address.ipv4_mapped, address.sixtofour, *(teredo or ())]
        if address in NAT64:
            embedded.append(ipaddress.IPv4Address(int(address) & 0xFFFFFFFF))
        inside = [entry for entry in embedded if entry is not None]
        if inside:
            return all(map(is_public, inside))
        if address.is_site_local:
            return False
    return address.is_global and not address.is_multicast and not address.is_reserved


def _parsed(address: str) -> httpx.URL:
    try:
        url = httpx.URL(address)
    except (httpx.InvalidURL, UnicodeError):
        url = httpx.URL("")
    if url.scheme not in ("http", "https") or not url.host or url.userinfo or not 0 < (url.port or 1) < 65536:
        raise BadInput(f"{shown(address)} is not a file URL.", hint="Use https://host/path without a password.")
    return url


def _followed(url: httpx.URL, response: httpx.Response, address: str) -> httpx.URL:
    try:
        following = url.join(response.headers.get("location", ""))
    except (httpx.InvalidURL, UnicodeError):
        following = httpx.URL("")
    if (following.scheme, following.host, following.port) != (url.scheme, url.host, url.port):
        raise BadInput(f"{shown(address)} redirects to another host.", hint="Use the final URL.")
    return following
