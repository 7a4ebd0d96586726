import type { Request } from '@reticle/sdk'
import { type Command, Option } from 'commander'
import { usageFailure } from '../failures/failure.ts'
import { numberId } from '../resources/resource.ts'
import type { CommandSession } from '../session/command-session.ts'
import { formatReport } from '../terminal/report.ts'

/** Options shared by the commands for imports and exports. */

export const resumed = 'After an interruption, run the same command again to continue.'

export const bucketOptions = (command: Command, description: string) =>
  command
    .addOption(new Option('--cloud-storage <id>', description))
    .option('--key <key>', 'with --cloud-storage: the name of the file in the bucket')

/** Returns the location of a file for the service: this machine or a bucket. */
export function toFileLocation({ cloudStorage, key }: { cloudStorage?: string; key?: string }) {
  if (cloudStorage === undefined && key !== undefined)
    throw usageFailure('--key names a file in a bucket', 'Name the bucket with --cloud-storage.')
  if (cloudStorage === undefined) return { location: 'local' }
  return {
    location: 'cloud_storage',
    cloud_storage_id: numberId(cloudStorage),
    ...(key !== undefined && { filename: key }),
  }
}

export function printReport({ report }: Request, { output }: CommandSession): void {
  for (const line of formatReport(report, 'Report')) output.note(line)
}
