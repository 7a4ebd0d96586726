import { join } from 'node:path'
import type { UploadOptions } from '@reticle/sdk'
import { folderStore } from '@reticle/sdk/node'
import type { Session } from '../session.ts'
import { bytesText } from '../terminal/output.ts'

/** How files are sent: with their progress, and noted so that another process goes on. */
export function sending({ around, signal, progress }: Session, title: string): UploadOptions {
  progress.step(title)
  return {
    signal,
    store: folderStore(join(around.env.cacheDir, 'uploads')),
    on_progress: (done, total) =>
      progress.update(total === 0 ? 1 : done / total, `${bytesText(done)} of ${bytesText(total)}`),
  }
}
