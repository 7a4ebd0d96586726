{{/*
Table of all processes, used by the deployments, settings, network policies and migrations.

values    key in values.yaml
image     the image, after image.prefix
entry     program that Node.js runs
database  schema whose address it gets as RETICLE_<DATABASE>_DATABASE_URL; the key in the secret has the same name in lower case
calls     services it calls over gRPC: sets their addresses, and allows them in the network policies
serves    serves gRPC
kafka, s3, secretKeys   gets these settings
share     mounts the share, if it is configured
links     needs the public URL for links
internet  may reach receivers of webhooks outside of the cluster
mail      sends mails
storages  may reach cloud storages of users outside of the cluster
remote    gets the private networks from which remote files may be fetched
fetches   may reach remote files outside of the cluster
grace     terminationGracePeriodSeconds
*/}}
{{- define "reticle.apps" -}}
gateway:
  values: gateway
  image: gateway
  entry: dist/main.js
  calls: [projects, annotations, jobs, webhooks]
  s3: true
  grace: 40
projects:
  values: projects
  image: projects-svc
  entry: dist/main.js
  database: PROJECTS
  calls: []
  serves: true
  kafka: true
  s3: true
  secretKeys: true
  links: true
  mail: true
  storages: true
  grace: 40
annotations:
  values: annotations
  image: annotations-svc
  entry: dist/main.js
  database: ANNOTATIONS
  calls: [projects]
  serves: true
  kafka: true
  grace: 40
jobs:
  values: jobs
  image: jobs-svc
  entry: dist/main.js
  database: JOBS
  calls: [projects, annotations, webhooks]
  serves: true
  kafka: true
  s3: true
  share: true
  remote: true
  grace: 40
jobs-worker:
  values: jobsWorker
  image: jobs-svc
  entry: dist/worker.js
  database: JOBS
  calls: [projects, annotations, webhooks]
  kafka: true
  s3: true
  share: true
  remote: true
  fetches: true
  grace: 120
webhooks:
  values: webhooks
  image: webhooks-svc
  entry: dist/main.js
  database: WEBHOOKS
  calls: [projects]
  serves: true
  kafka: true
  secretKeys: true
  links: true
  internet: true
  grace: 30
{{- end }}

{{/* One row of the table. Arguments: root, name */}}
{{- define "reticle.app" -}}
{{- get (include "reticle.apps" . | fromYaml) .name | toYaml }}
{{- end }}

{{/* Whether a process calls addresses of users. Argument: its row */}}
{{- define "reticle.goesOut" -}}
{{- if or .internet .storages .fetches }}yes{{ end -}}
{{- end }}
