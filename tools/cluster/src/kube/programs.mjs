import { readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { ensureCached, versionOf } from '../cache.mjs'
import { reportProgress, runTool } from '../tools.mjs'

/** Programs of a Kubernetes control plane, built from their Go modules once; go.sum pins the modules. */

const here = (path) => fileURLToPath(new URL(path, import.meta.url))
const env = { ...process.env, GOTOOLCHAIN: 'local', CGO_ENABLED: '0', GOFLAGS: '-buildvcs=false' }

const kubernetes = '1.36.3'
const version = 'k8s.io/component-base/version'
const stamp = `-X ${version}.gitVersion=v${kubernetes} -X ${version}.gitMajor=1 -X ${version}.gitMinor=36`
const parts = ['kube-apiserver', 'kube-controller-manager', 'kube-scheduler']

/** Operators whose kinds the chart uses: module, folder of definitions, their files. */
const operators = [
  [
    'github.com/kedacore/keda/v2@v2.21.0',
    'config/crd/bases',
    ['keda.sh_scaledobjects', 'keda.sh_triggerauthentications'],
  ],
  [
    'sigs.k8s.io/gateway-api@v1.3.0',
    'config/crd/standard',
    ['gateway.networking.k8s.io_httproutes'],
  ],
  [
    'github.com/prometheus-operator/prometheus-operator@v0.85.0',
    'example/prometheus-operator-crd',
    ['monitoring.coreos.com_podmonitors', 'monitoring.coreos.com_prometheusrules'],
  ],
]
const kwok = 'sigs.k8s.io/kwok@v0.8.0'

/**
 * Returns the folder with `etcd`, `kube-apiserver`, `kube-controller-manager`, `kube-scheduler`, `kwok`, `stages.yaml`,
 * `crds/*.yaml`.
 */
export function kubePrograms() {
  const pins = ['kubernetes', 'etcd'].map((name) => here(`${name}/go.sum`))
  return ensureCached('kube', versionOf(kubernetes, ...pins, here('programs.mjs')), (folder) =>
    reportProgress(
      'Building a Kubernetes control plane (once, about fifteen minutes)',
      async () => {
        const flags = ['build', '-mod=readonly', '-trimpath', '-o', `${folder}/`]
        const etcd = ['-ldflags', '-s -w', 'go.etcd.io/etcd/server/v3']
        await runTool('go', [...flags, ...etcd], { cwd: here('etcd'), env })
        await runTool('mv', [join(folder, 'server'), join(folder, 'etcd')])
        const packages = parts.map((part) => `k8s.io/kubernetes/cmd/${part}`)
        const all = [...flags, '-ldflags', `-s -w ${stamp}`, ...packages]
        await runTool('go', all, { cwd: here('kubernetes'), env })
        await runTool('go', ['install', '-trimpath', kwok.replace('@', '/cmd/kwok@')], {
          env: { ...env, GOBIN: folder },
        })
        await writeFile(join(folder, 'stages.yaml'), await stages())
        await writeFile(join(folder, 'crds.json'), JSON.stringify(await definitions()))
      },
    ),
  )
}

/** Behaviour that kwok simulates: nodes that are ready and send heartbeats, pods that start, jobs that end. */
async function stages() {
  const module = await source(kwok)
  const folders = ['node/fast', 'node/heartbeat-with-lease', 'pod/fast']
  const texts = folders.map(async (folder) => {
    const path = join(module, 'kustomize/stage', folder)
    const names = (await readdir(path)).filter((name) => /^(node|pod)-.*\.yaml$/.test(name))
    return Promise.all(names.map((name) => readFile(join(path, name), 'utf8')))
  })
  return (await Promise.all(texts)).flat().join('\n---\n')
}

/** The custom resource definitions, as texts. */
async function definitions() {
  const texts = operators.map(async ([module, folder, names]) => {
    const path = join(await source(module), folder)
    return Promise.all(names.map((name) => readFile(join(path, `${name}.yaml`), 'utf8')))
  })
  return (await Promise.all(texts)).flat()
}

/** Returns the folder where Go has unpacked a module. */
async function source(module) {
  const { stdout } = await runTool('go', ['mod', 'download', '-json', module], { env })
  return JSON.parse(stdout).Dir
}
