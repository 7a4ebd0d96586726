import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { gcsAnswers } from './answers.ts'
import { ensureCached, versionOf } from './cache.mjs'
import { makePart, type OnExit, type ServerPart } from './part.ts'
import { freePort } from './ports.ts'
import { reportProgress, runTool } from './tools.mjs'

const source = fileURLToPath(new URL('../gcs', import.meta.url))
const name = process.platform === 'win32' ? 'gcs.exe' : 'gcs'
const module = 'github.com/fsouza/fake-gcs-server'

/**
 * An emulator of Google Cloud Storage, built from its Go module: a third-party bucket for tests, not part of any image.
 */
export async function gcsPart(folder: string, logs: string, onGone?: OnExit): Promise<ServerPart> {
  const program = await gcsProgram()
  const data = join(folder, 'data')
  await mkdir(data, { recursive: true })
  let port = 0
  const url = () => `http://127.0.0.1:${port}`
  return makePart({
    name: 'gcs',
    logs,
    onGone,
    choosePorts: async () => {
      port = await freePort()
    },
    command: () => ({
      command: program,
      args: [
        ...['-scheme', 'http', '-host', '127.0.0.1', '-port', String(port)],
        ...['-backend', 'filesystem', '-filesystem-root', data],
        ...['-external-url', url(), '-public-host', `127.0.0.1:${port}`],
      ],
    }),
    isReady: () => gcsAnswers(url()),
    env: () => ({ RETICLE_TEST_GCS_ENDPOINT: url() }),
  })
}

async function gcsProgram(): Promise<string> {
  const version = versionOf('1', join(source, 'go.mod'), join(source, 'go.sum'))
  const folder = await ensureCached('gcs', version, (half) =>
    reportProgress('Building the emulator of Google storage (once, about a minute)', () =>
      runTool('go', ['build', ...buildFlags, '-o', join(half, name), module], {
        cwd: source,
        env: { ...process.env, GOTOOLCHAIN: 'local', CGO_ENABLED: '0' },
      }),
    ),
  )
  return join(folder, name)
}

/** Read-only: a module that go.sum does not pin fails the build. */
const buildFlags = ['-mod=readonly', '-buildvcs=false', '-trimpath', '-ldflags', '-s -w']
