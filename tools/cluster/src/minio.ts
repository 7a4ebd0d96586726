import { randomBytes } from 'node:crypto'
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { minioAnswers } from './answers.ts'
import { ensureCached, versionOf } from './cache.mjs'
import { makePart, type OnExit, type ServerPart } from './part.ts'
import { freePort } from './ports.ts'
import { readOrCreateSecret } from './secret-file.ts'
import { reportProgress, runTool } from './tools.mjs'

const source = fileURLToPath(new URL('../minio', import.meta.url))
const name = process.platform === 'win32' ? 'minio.exe' : 'minio'

/** The MinIO server, built from its Go module. Only for tests and laptops, not part of any image. */
export async function minioPart(
  folder: string,
  logs: string,
  onGone?: OnExit,
): Promise<ServerPart> {
  const program = await minioProgram()
  const data = join(folder, 'data')
  await mkdir(data, { recursive: true })
  const accessKey = 'reticle'
  const secretKey = await readOrCreateSecret(join(folder, 'secret-key'), () =>
    randomBytes(16).toString('hex'),
  )
  let port = 0
  return makePart({
    name: 'minio',
    logs,
    onGone,
    choosePorts: async () => {
      port = await freePort()
    },
    command: () => ({
      command: program,
      args: ['server', '--quiet', '--address', `127.0.0.1:${port}`, data],
      env: {
        MINIO_ROOT_USER: accessKey,
        MINIO_ROOT_PASSWORD: secretKey,
        MINIO_BROWSER: 'off',
        MINIO_UPDATE: 'off',
      },
    }),
    isReady: () => minioAnswers({ port, accessKey, secretKey }),
    env: () => ({
      RETICLE_TEST_S3_ENDPOINT: `http://127.0.0.1:${port}`,
      RETICLE_TEST_S3_ACCESS_KEY: accessKey,
      RETICLE_TEST_S3_SECRET_KEY: secretKey,
    }),
  })
}

async function minioProgram(): Promise<string> {
  const version = versionOf('20260212', join(source, 'go.mod'), join(source, 'go.sum'))
  const folder = await ensureCached('minio', version, (half) =>
    reportProgress('Building MinIO (once, about three minutes)', () =>
      runTool('go', ['build', ...buildFlags, '-o', join(half, name), 'github.com/minio/minio'], {
        cwd: source,
        env: { ...process.env, GOTOOLCHAIN: 'local', CGO_ENABLED: '0' },
      }),
    ),
  )
  return join(folder, name)
}

/** Read-only: a module that go.sum does not pin fails the build. */
const buildFlags = ['-mod=readonly', '-buildvcs=false', '-trimpath', '-ldflags', '-s -w']
