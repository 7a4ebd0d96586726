import { join } from 'node:path'
import type { UploadOptions } from '@reticle/sdk'
import { folderStore } from '@reticle/sdk/node'
import type { CommandSession } from '../session/command-session.ts'
import { formatBytes } from '../terminal/output.ts'

/** Returns upload options with progress display and stored state, so that another process can resume. */
export function createUploadOptions(
  { context, signal, progress }: CommandSession,
  title: string,
): UploadOptions {
  progress.step(title)
  return {
    signal,
    store: folderStore(join(context.env.cacheDir, 'uploads')),
    on_progress: (done, total) =>
      progress.update(
        total === 0 ? 1 : done / total,
        `${formatBytes(done)} of ${formatBytes(total)}`,
      ),
  }
}
