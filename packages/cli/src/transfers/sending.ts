import { join } from 'node:path'
import type { UploadOptions } from '@reticle/sdk'
import { folderStore } from '@reticle/sdk/node'
import type { Session } from '../session.ts'
import { bytesText } from '../terminal/output.ts'

/** Returns upload options with progress display and stored state, so that another process can resume. */
export function sending({ around, signal, progress }: Session, title: string): UploadOptions {
  progress.step(title)
  return {
    signal,
    store: folderStore(join(around.env.cacheDir, 'uploads')),
    on_progress: (done, total) =>
      progress.update(total === 0 ? 1 : done / total, `${bytesText(done)} of ${bytesText(total)}`),
  }
}
