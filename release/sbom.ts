import type { BundledPackage } from './packages.ts'

/** What the program is made of, as CycloneDX 1.6 (https://cyclonedx.org/docs/1.6/json/). */
export function sbom(
  program: { version: string; commit: string; time: Date },
  packages: BundledPackage[],
): object {
  const ref = (name: string, version: string) => `pkg:npm/${name.replace('@', '%40')}@${version}`
  const components = packages.map(({ name, version, license, sha512 }) => ({
    type: 'library',
    'bom-ref': ref(name, version),
    name,
    version,
    purl: ref(name, version),
    licenses: [{ expression: license }],
    hashes: [{ alg: 'SHA-512', content: Buffer.from(sha512, 'base64').toString('hex') }],
  }))
  const runtime = {
    type: 'platform',
    'bom-ref': `pkg:github/oven-sh/bun@bun-v${Bun.version}`,
    name: 'bun',
    version: Bun.version,
    purl: `pkg:github/oven-sh/bun@bun-v${Bun.version}`,
    licenses: [{ expression: 'MIT' }],
  }
  return {
    $schema: 'http://cyclonedx.org/schema/bom-1.6.schema.json',
    bomFormat: 'CycloneDX',
    specVersion: '1.6',
    version: 1,
    metadata: {
      timestamp: program.time.toISOString(),
      component: {
        type: 'application',
        'bom-ref': 'bellhop',
        name: 'bellhop',
        version: program.version,
        licenses: [{ expression: 'MIT' }],
        properties: [{ name: 'commit', value: program.commit }],
      },
    },
    components: [runtime, ...components],
    dependencies: [{ ref: 'bellhop', dependsOn: [runtime, ...components].map((one) => one['bom-ref']) }],
  }
}
