import { randomBytes } from 'node:crypto'
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { s3Answers } from './answers.mjs'
import { ensureCached, versionOf } from './cache.mjs'
import { makePart } from './part.mjs'
import { freePort } from './ports.mjs'
import { readOrCreateSecret } from './secret-file.mjs'
import { reportProgress, runTool } from './tools.mjs'

const source = fileURLToPath(new URL('versitygw', import.meta.url))
const name = process.platform === 'win32' ? 'versitygw.exe' : 'versitygw'
const module = 'github.com/versity/versitygw/cmd/versitygw'

/**
 * Versity S3 Gateway, a maintained S3 server, built from its Go module: it shows that the object store works with an S3
 * server other than MinIO. Only for tests, not part of any image.
 */
export async function versitygwPart(folder, logs, onGone) {
  const program = await versitygwProgram()
  const [data, metadata] = [join(folder, 'data'), join(folder, 'metadata')]
  for (const path of [data, metadata]) await mkdir(path, { recursive: true })
  const accessKey = 'reticle'
  const secretKey = await readOrCreateSecret(join(folder, 'secret-key'), () =>
    randomBytes(16).toString('hex'),
  )
  let port
  return makePart({
    name: 'versitygw',
    logs,
    onGone,
    choosePorts: async () => {
      port = await freePort()
    },
    command: () => ({
      command: program,
      // The metadata has its own folder because many file systems have no extended attributes.
      args: [
        ...['--quiet', '--keep-alive', '--port', `127.0.0.1:${port}`],
        ...['posix', '--sidecar', metadata, data],
      ],
      env: { ROOT_ACCESS_KEY: accessKey, ROOT_SECRET_KEY: secretKey },
    }),
    isReady: () => s3Answers({ port, accessKey, secretKey }),
    env: () => ({
      RETICLE_TEST_SECOND_S3_ENDPOINT: `http://127.0.0.1:${port}`,
      RETICLE_TEST_SECOND_S3_ACCESS_KEY: accessKey,
      RETICLE_TEST_SECOND_S3_SECRET_KEY: secretKey,
    }),
  })
}

async function versitygwProgram() {
  const version = versionOf('1', join(source, 'go.mod'), join(source, 'go.sum'))
  const folder = await ensureCached('versitygw', version, (half) =>
    reportProgress('Building Versity S3 Gateway (once, about two minutes)', () =>
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
