import type { Command } from 'commander'
import { licenseTexts } from '../../release/build-facts.ts' with { type: 'macro' }
import { print } from './output.ts'

/** `bellhop licenses`. */
export function addLicenses(program: Command): void {
  program
    .command('licenses')
    .description('print the licenses of Bellhop and of the packages in it')
    .action(() => print(licenseTexts()))
}
