/** URLs that get no webhooks where the networks are public: each leads to this machine or its network, or is invalid. */
export const HOSTILE: readonly string[] = [
  // This machine, in several notations.
  ...["https://127.0.0.1/", "https://127.1/", "https://0x7f.1/", "https://2130706433/"],
  ...["https://017700000001/", "https://0177.0.0.1/", "https://0x7f000001/", "https://127.0.0.1./"],
  ...["https://127.255.255.254/", "https://0.0.0.0/", "https://0/", "https://%31%32%37.0.0.1/"],
  ...["https://①②⑦.0.0.1/", "https://127。0。0。1/", "https://１２７.0.0.1/"],
  ...[
    "https://[::1]/",
    "https://[::]/",
    "https://[0:0:0:0:0:0:0:1]/",
    "https://[::ffff:127.0.0.1]/",
  ],
  ...["https://[::ffff:7f00:1]/", "https://[::127.0.0.1]/", "https://[64:ff9b::7f00:1]/"],
  // Names of this machine.
  ...["https://localhost/", "https://LOCALHOST/", "https://localhost./", "https://foo.localhost/"],
  ...["https://ⓛocalhost/", "https://ｌｏｃａｌｈｏｓｔ/", "https://foo.localhost.:443/"],
  // Metadata services of clouds, and private networks.
  ...["https://169.254.169.254/latest/meta-data/", "https://[fd00:ec2::254]/"],
  ...["https://metadata.google.internal/", "https://metadata/", "https://10.0.0.1/"],
  ...[
    "https://172.16.0.1/",
    "https://172.31.255.255/",
    "https://192.168.1.1/",
    "https://100.64.0.1/",
  ],
  ...["https://192.0.0.8/", "https://198.18.0.1/", "https://198.19.255.255/", "https://192.0.2.1/"],
  ...["https://198.51.100.7/", "https://203.0.113.9/", "https://224.0.0.1/", "https://240.0.0.1/"],
  ...["https://255.255.255.255/", "https://192.88.99.1/", "https://printer.local/"],
  ...["https://intranet/", "https://box.home.arpa/", "https://nas.lan/"],
  ...[
    "https://[fd00::1]/",
    "https://[fc00::1]/",
    "https://[fe80::1]/",
    "https://[fe80::1%25eth0]/",
  ],
  ...["https://[ff02::1]/", "https://[2001:db8::1]/", "https://[2002:7f00:1::]/"],
  ...["https://[2001::1]/", "https://[3fff::1]/", "https://[64:ff9b:1::1]/", "https://[100::1]/"],
  // Other schemes, and text that is not a URL.
  ...["http://example.com/", "http://127.0.0.1/", "file:///etc/passwd", "gopher://example.com/"],
  ...["ftp://example.com/", "javascript:alert(1)", "data:text/plain,x", "ws://example.com/"],
  ...["", " ", "example.com", "//example.com/", "https:example.com", "https://", "https:///path"],
  ...["https://exa mple.com/", "https://[::1/", "https://1.2.3.4.5/"],
  // URLs with parts that an endpoint must not have.
  ...["https://user:pw@example.com/", "https://user@example.com/", "https://:pw@example.com/"],
  ...["https://example.com./", "https://example.com:25/", "https://example.com:22/"],
  ...["https://example.com:0/", "https://example.com:65536/", "https://example.com:80/"],
  `https://example.com/${"a".repeat(2_048)}`,
  `https://example.com/${"ä".repeat(1_000)}`,
];

export const FRIENDLY: readonly (readonly [typed: string, kept: string])[] = [
  ["https://example.com", "https://example.com/"],
  ["  https://example.com/hooks?a=1&b=2  ", "https://example.com/hooks?a=1&b=2"],
  ["HTTPS://Example.COM/Hooks", "https://example.com/Hooks"],
  ["https://example.com:443/", "https://example.com/"],
  ["https://example.com:8443/#part", "https://example.com:8443/"],
  ["https://bücher.example/", "https://xn--bcher-kva.example/"],
  ["https://93.184.216.34/", "https://93.184.216.34/"],
  [
    "https://[2606:2800:220:1:248:1893:25c8:1946]/",
    "https://[2606:2800:220:1:248:1893:25c8:1946]/",
  ],
  ["https://[64:ff9b::5db8:d822]/", "https://[64:ff9b::5db8:d822]/"],
  ["https://local.example.com/", "https://local.example.com/"],
  ["https://172.32.0.1/", "https://172.32.0.1/"],
];
