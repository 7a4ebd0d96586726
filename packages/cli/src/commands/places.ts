import type { Request } from '@reticle/sdk'
import { type Command, Option } from 'commander'
import { misused } from '../failure.ts'
import { numberId } from '../resources/resource.ts'
import type { Session } from '../session.ts'
import { reportLines } from '../terminal/report.ts'

/** Options shared by the commands for imports and exports. */

export const resumed = 'When it is broken off, the same command goes on where it was.'

export const bucketOptions = (command: Command, about: string) =>
  command
    .addOption(new Option('--cloud-storage <id>', about))
    .option('--key <key>', 'with --cloud-storage: the name of the file in the bucket')

/** Returns the location of a file for the service: this machine or a bucket. */
export function placeOf({ cloudStorage, key }: { cloudStorage?: string; key?: string }) {
  if (cloudStorage === undefined && key !== undefined)
    throw misused('--key names a file in a bucket', 'Name the bucket with --cloud-storage.')
  if (cloudStorage === undefined) return { location: 'local' }
  return {
    location: 'cloud_storage',
    cloud_storage_id: numberId(cloudStorage),
    ...(key !== undefined && { filename: key }),
  }
}

export function tellReport({ report }: Request, { output }: Session): void {
  for (const line of reportLines(report, 'Report')) output.note(line)
}
