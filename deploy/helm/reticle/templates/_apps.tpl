{{/*
Every process of Reticle in one table, read by the deployments, the settings, the network policies and the migrations.

values    key in values.yaml
image     the image, after image.prefix
entry     what Node runs
database  whose database address it is given: RETICLE_<DATABASE>_DATABASE_URL; the key in the secret is the same, lower case
calls     services it asks over gRPC: their addresses, and the way through the network policies
serves    answers gRPC
kafka, s3, secretKeys   is given these settings
share     sees the files of the share, when there is one
links     tells others how to reach Reticle
internet  may leave the cluster: receivers of webhooks
mail      sends mails
storages  may leave the cluster: cloud storages of users
remote    is told which networks of its own files that users name by their addresses may come from
fetches   may leave the cluster: those files
grace     terminationGracePeriodSeconds (reliability 16.3)
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

{{/* One row of the table. Given: root, name */}}
{{- define "reticle.app" -}}
{{- get (include "reticle.apps" . | fromYaml) .name | toYaml }}
{{- end }}

{{/* Whether a process asks addresses that users name; given: its row */}}
{{- define "reticle.goesOut" -}}
{{- if or .internet .storages .fetches }}yes{{ end -}}
{{- end }}
