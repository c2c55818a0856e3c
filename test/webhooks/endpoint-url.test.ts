import { describe, expect, test } from 'bun:test'
import { createAddressPolicy } from '../../server/network/address-policy.ts'
import { refusalOfUrl } from '../../server/webhooks/endpoints/validate.ts'

const strict = createAddressPolicy([])
const HOST = 'hooks.example.com'

describe('an endpoint may not be at', () => {
  test.each([
    'https://127.0.0.1/',
    'https://127.1/',
    'https://2130706433/',
    'https://0x7f000001/',
    'https://0x7f.1/',
    'https://0177.0.0.1/',
    'https://127.0.0.1./',
    'https://127。0。0。1/',
    'https://①②⑦.⓪.⓪.①/',
    'https://%31%32%37.0.0.1/',
    'https://0/',
    'https://10.1.2.3:8443/hook',
    'https://169.254.169.254/latest/meta-data',
    'https://[::1]/',
    'https://[::]/',
    'https://[0:0:0:0:0:0:0:1]/',
    'https://[::ffff:127.0.0.1]/',
    'https://[::ffff:7f00:1]/',
    'https://[::127.0.0.1]/',
    'https://[fd00::1]/',
    'https://[fe80::1]/',
  ])('%s: not a public address', (url) => {
    expect(refusalOfUrl(strict, url)?.code).toBe('blocked_address')
  })

  test.each([
    'https://localhost/',
    'https://LOCALHOST:3000/',
    'https://localhost./',
    'https://a.localhost/',
    'https://printer.local/',
    'https://hooks.internal/',
    'https://router.home.arpa/',
  ])('%s: not a public name', (url) => {
    expect(refusalOfUrl(strict, url)?.code).toBe('blocked_host')
  })

  test.each([
    ['http://example.com/', 'not_https'],
    ['HTTP://example.com/', 'not_https'],
    ['ftp://example.com/', 'not_https'],
    ['javascript:alert(1)', 'not_https'],
    ['https://user@example.com/', 'has_credentials'],
    ['https://user:secret@example.com/', 'has_credentials'],
    ['https://:secret@example.com/', 'has_credentials'],
    ['', 'invalid_url'],
    ['example.com/hooks', 'invalid_url'],
    ['https://', 'invalid_url'],
    ['https://exa mple.com/', 'invalid_url'],
    ['https://example.com/\n', 'invalid_url'],
    ['https://exam\tple.com/', 'invalid_url'],
    [' https://example.com/', 'invalid_url'],
    ['https://example.com:99999/', 'invalid_url'],
    ['https://256.1.1.1/', 'invalid_url'],
    ['https://[::1/', 'invalid_url'],
    ['https://[fe80::1%25eth0]/', 'invalid_url'],
    [`https://example.com/${'a'.repeat(2_029)}`, 'url_too_long'],
  ])('%p: %s', (url, code) => {
    const refusal = refusalOfUrl(strict, url)
    expect(refusal?.code ?? '').toBe(code)
    expect(refusal?.detail ?? '').toMatch(/^[A-Z].*\.$/)
  })
})

test.each([
  'https://example.com/',
  'https://example.com:8443/hooks?a=b#c',
  'https://bücher.example/',
  'https://xn--bcher-kva.example/',
  'https://localhost.example.com/',
  'https://mylocal/',
  'https://8.8.8.8/',
  'https://[2606:4700:4700::1111]/',
  `https://example.com/${'a'.repeat(2_028)}`,
])('an endpoint may be at %s', (url) => {
  expect(refusalOfUrl(strict, url)).toBeNull()
})

describe('there is no connection to', () => {
  test.each([
    ['unspecified', '0.0.0.0'],
    ['this network', '0.1.2.3'],
    ['private', '10.0.0.1'],
    ['private', '172.16.0.1'],
    ['private', '172.31.255.255'],
    ['private', '192.168.1.1'],
    ['carrier-grade NAT', '100.64.0.1'],
    ['carrier-grade NAT', '100.127.255.255'],
    ['loopback', '127.0.0.1'],
    ['loopback', '127.255.255.254'],
    ['link-local', '169.254.169.254'],
    ['protocol assignments', '192.0.0.8'],
    ['documentation', '192.0.2.1'],
    ['documentation', '198.51.100.7'],
    ['documentation', '203.0.113.9'],
    ['6to4 relay', '192.88.99.1'],
    ['benchmarking', '198.18.0.1'],
    ['benchmarking', '198.19.255.255'],
    ['multicast', '224.0.0.1'],
    ['multicast', '239.255.255.255'],
    ['reserved', '240.0.0.1'],
    ['broadcast', '255.255.255.255'],
    ['unspecified', '::'],
    ['loopback', '::1'],
    ['mapped', '::ffff:8.8.8.8'],
    ['mapped', '::ffff:127.0.0.1'],
    ['compatible', '::127.0.0.1'],
    ['translated', '::ffff:0:127.0.0.1'],
    ['NAT64', '64:ff9b::7f00:1'],
    ['NAT64', '64:ff9b::8.8.8.8'],
    ['local NAT64', '64:ff9b:1::a00:1'],
    ['discard', '100::1'],
    ['Teredo', '2001::1'],
    ['benchmarking', '2001:2::1'],
    ['ORCHID', '2001:10::1'],
    ['ORCHIDv2', '2001:20::1'],
    ['documentation', '2001:db8::1'],
    ['documentation', '3fff::1'],
    ['6to4', '2002:7f00:1::1'],
    ['segment routing', '5f00::1'],
    ['unassigned', '4000::1'],
    ['unique-local', 'fc00::1'],
    ['unique-local', 'fd12:3456::1'],
    ['link-local', 'fe80::1'],
    ['link-local with a zone', 'fe80::1%lo'],
    ['site-local', 'fec0::1'],
    ['multicast', 'ff02::1'],
    ['not an address', '127.1'],
    ['not an address', '010.8.8.8'],
    ['not an address', 'example.com'],
    ['not an address', ''],
  ])('%s: %s', (_, address) => {
    expect(strict.allows(address, HOST)).toBe(false)
  })
})

test.each([
  '1.1.1.1',
  '9.255.255.255',
  '11.0.0.0',
  '100.63.255.255',
  '100.128.0.0',
  '172.15.255.255',
  '172.32.0.0',
  '223.255.255.255',
  '2606:4700:4700::1111',
  '2a00:1450::1',
])('%s is public and dialled', (address) => {
  expect(strict.allows(address, HOST)).toBe(true)
})

describe('the operator may allow', () => {
  test('a network, and nothing outside it', () => {
    const policy = createAddressPolicy(['127.0.0.0/8', 'fd00::/8'])
    expect(policy.allows('127.9.9.9', HOST)).toBe(true)
    expect(policy.allows('fd12::1', HOST)).toBe(true)
    expect(policy.allows('10.0.0.1', HOST)).toBe(false)
    expect(policy.allows('::ffff:127.0.0.1', HOST)).toBe(false)
    expect(refusalOfUrl(policy, 'https://127.0.0.1:8443/')).toBeNull()
    expect(refusalOfUrl(policy, 'https://[fd00::1]/')).toBeNull()
  })

  test('with a network every name, which must resolve into it or be public', () => {
    const policy = createAddressPolicy(['10.0.0.0/8'])
    expect(refusalOfUrl(policy, 'https://hooks.internal/')).toBeNull()
    expect(policy.allows('10.1.2.3', 'hooks.internal')).toBe(true)
    expect(policy.allows('192.168.0.1', 'hooks.internal')).toBe(false)
    // Its address is known.
    for (const url of ['https://localhost/', 'https://hooks.localhost/']) {
      expect(refusalOfUrl(policy, url)?.code).toBe('blocked_host')
      expect(refusalOfUrl(createAddressPolicy(['127.0.0.0/8']), url)).toBeNull()
      expect(refusalOfUrl(createAddressPolicy(['::1']), url)).toBeNull()
    }
  })

  test('an address', () => {
    const policy = createAddressPolicy(['::1', '10.0.0.5'])
    expect(policy.allows('::1', HOST)).toBe(true)
    expect(policy.allows('0:0:0:0:0:0:0:1', HOST)).toBe(true)
    expect(policy.allows('10.0.0.5', HOST)).toBe(true)
    expect(policy.allows('10.0.0.6', HOST)).toBe(false)
  })

  test('a host by its name, whatever it resolves to, and no other', () => {
    const policy = createAddressPolicy(['Hooks.Internal', 'localhost', 'bücher.internal'])
    expect(refusalOfUrl(policy, 'https://hooks.internal/')).toBeNull()
    expect(refusalOfUrl(policy, 'https://bücher.internal/')).toBeNull()
    expect(refusalOfUrl(policy, 'https://localhost:8443/')).toBeNull()
    expect(refusalOfUrl(policy, 'https://a.hooks.internal/')?.code).toBe('blocked_host')
    expect(policy.allows('10.0.0.1', 'HOOKS.internal.')).toBe(true)
    expect(policy.allows('10.0.0.1', HOST)).toBe(false)
  })

  test.each([
    '10.0.0.0/33',
    '*.internal',
    'hooks.internal:8443',
    '10.0.0.5:8443',
    'https://hooks.internal',
    'a b',
    '',
  ])('not %p, which stops the start', (entry) => {
    expect(() => createAddressPolicy([entry])).toThrow("isn't a network")
  })
})
