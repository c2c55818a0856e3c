import type { Command } from 'commander'
import { StartError } from '../errors.ts'
import { installService, serviceStatus, uninstallService } from '../machine/install-service.ts'
import { SERVICE, SERVICE_UNIT } from '../machine/service-unit.ts'
import { DATA_FOLDER, SETTINGS_FILE } from '../machine/settings-file.ts'
import { note, printFacts, printJson } from './output.ts'

/** `bellhop service …`. */
export function addService(program: Command): void {
  const service = program.command('service').description('run Bellhop as a service of this machine (systemd)')
  service
    .command('install')
    .description('install the service and start it; after an upgrade, run it again')
    .option('--print', 'print the unit instead, and change nothing')
    .action(({ print: isPrinted }: { print?: true }) => {
      if (isPrinted) {
        process.stdout.write(SERVICE_UNIT)
        return
      }
      installService()
      note(`Bellhop runs, and starts with the machine. Its data is in ${DATA_FOLDER}.
Set it up with the link in its log: sudo journalctl --unit ${SERVICE} --lines 20
Change settings in ${SETTINGS_FILE}, then run: sudo systemctl restart ${SERVICE}
Run commands as its user: sudo -u ${SERVICE} bellhop --help`)
    })
  service
    .command('uninstall')
    .description('stop the service and remove it; the data stays')
    .action(() => {
      uninstallService()
      note(
        `The service is removed. The data in ${DATA_FOLDER} and the settings in ${SETTINGS_FILE} are still there.`,
      )
    })
  service
    .command('status')
    .description('show whether the service runs; exits with code 1 if it does not')
    .option('--json', 'print JSON')
    .action(({ json }: { json?: true }) => {
      const { isInstalled, state, start, words } = serviceStatus()
      if (json) printJson({ state: isInstalled ? state : 'not-installed', start, detail: words })
      else if (isInstalled)
        printFacts({
          State: state,
          'Starts with the machine': start === 'enabled' ? 'yes' : 'no',
          Detail: words,
        })
      if (!isInstalled)
        throw new StartError('The service is not installed. Install it with: sudo bellhop service install')
      if (state !== 'active')
        throw new StartError(`The service does not run. Its log: sudo journalctl --unit ${SERVICE}`)
    })
}
