import { fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import type { FromAnswers } from './answers-server.ts'

export interface AnswersProcess extends FromAnswers {
  close: () => Promise<void>
}

const isSource = import.meta.url.endsWith('.ts')
/** Options of Node for a process from the same sources, or from the build. */
export const execArgv = isSource ? ['--conditions=@reticle/source', '--import', 'tsx'] : []
const entry = isSource ? './answers-server.ts' : './answers-server.js'

/**
 * Starts every server of `answers.ts` in a separate process, so that its
 * memory does not count in measurements of the test process.
 */
export async function startAnswers(): Promise<AnswersProcess> {
  const child = fork(fileURLToPath(new URL(entry, import.meta.url)), { execArgv })
  const gone = once(child, 'exit')
  const failed = gone.then(() => Promise.reject(new Error('the servers did not start')))
  failed.catch(() => undefined)
  const [told]: FromAnswers[] = await Promise.race([once(child, 'message'), failed])
  if (!told) throw new Error('the servers did not tell where they are')
  return {
    ...told,
    close: async () => {
      child.kill()
      await gone
    },
  }
}
