{{/* Checks that the schema cannot express, because they concern two values. A failure changes nothing. */}}
{{- define "reticle.checks" -}}
{{- range list "gateway" "annotations" "jobsWorker" }}
{{- $scaling := (get $.Values .).autoscaling }}
{{- if and $scaling.enabled (gt (int $scaling.minReplicas) (int $scaling.maxReplicas)) }}
{{- fail (printf "%s.autoscaling: minReplicas %v is more than maxReplicas %v" . $scaling.minReplicas $scaling.maxReplicas) }}
{{- end }}
{{- end }}
{{- if and .Values.ingress.enabled (or (empty .Values.ingress.host) (contains "/" .Values.ingress.host)) }}
{{- fail (printf "ingress.host: expected a name such as reticle.example.org, got %q" .Values.ingress.host) }}
{{- end }}
{{- end }}

{{/* Ports of backends that the network policies block, one per line. Such a backend would appear to be down. */}}
{{- define "reticle.shutPorts" -}}
{{- if .Values.networkPolicy.enabled }}
{{- include "reticle.shutPort" (dict "root" . "name" "s3" "from" "s3.endpoint" "address" .Values.s3.endpoint) }}
{{- with .Values.telemetry.endpoint }}
{{- include "reticle.shutPort" (dict "root" $ "name" "telemetry" "from" "telemetry.endpoint" "address" .) }}
{{- end }}
{{- range .Values.kafka.brokers }}
{{- include "reticle.shutPort" (dict "root" $ "name" "kafka" "from" "kafka.brokers" "address" .) }}
{{- end }}
{{- end }}
{{- end }}

{{/* Arguments: root, name, from, address */}}
{{- define "reticle.shutPort" -}}
{{- $usual := hasPrefix "https://" .address | ternary "443" "80" -}}
{{- $port := regexFind ":[0-9]+(/.*)?$" .address | trimPrefix ":" | splitList "/" | first | default $usual -}}
{{- $open := list -}}
{{- range (get .root.Values.networkPolicy .name).ports }}{{ $open = append $open (toString .) }}{{ end -}}
{{- if and $open (not (has $port $open)) }}
  {{ .address }} ({{ .from }}): add {{ $port }} to networkPolicy.{{ .name }}.ports, or the port of the pods where a service maps it
{{- end }}
{{- end }}
