import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { expect, test } from 'vitest'

const file = new URL('./ports.ts', import.meta.url).href
/** Chooses ports in another process, which keeps them until its input ends. */
async function choosePorts(count: number) {
  const script = `import(${JSON.stringify(file)})
    .then(({ freePorts }) => freePorts(${count}))
    .then((ports) => { console.log(JSON.stringify(ports)); process.stdin.resume() })`
  const words = ['--import', 'tsx', '-e', script]
  const chooser = spawn(process.execPath, words, { stdio: ['pipe', 'pipe', 'inherit'] })
  const [line] = await once(createInterface(chooser.stdout), 'line')
  const ports: number[] = JSON.parse(line)
  return { ports, end: () => chooser.stdin.end() }
}

test('processes that choose ports at the same time never share one', async () => {
  const chosen = await Promise.all([1, 2, 3].map(() => choosePorts(1500)))
  const ports = chosen.flatMap((one) => one.ports)
  for (const { end } of chosen) end()
  expect(ports).toHaveLength(4500)
  expect(new Set(ports).size).toBe(ports.length)
})
