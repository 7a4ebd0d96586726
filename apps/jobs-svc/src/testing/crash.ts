import { fork } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import type { Interrupted } from './interrupted.ts'

/**
 * Runs `interrupted.ts` until all of its writes have started, and a random moment longer; then kills it with SIGKILL.
 */
export async function crashMidUpload(interrupted: Interrupted): Promise<void> {
  const script = fileURLToPath(new URL('./interrupted.ts', import.meta.url))
  const execArgv = ['--conditions=@reticle/source', '--import', 'tsx']
  const child = fork(script, [JSON.stringify(interrupted)], { execArgv })
  const exit = once(child, 'exit')
  const [message] = await Promise.race([once(child, 'message'), exit])
  if (message !== 'begun') throw new Error(`the process exited early: ${message}`)
  await sleep(Math.random() * 100)
  child.kill('SIGKILL')
  await exit
}
