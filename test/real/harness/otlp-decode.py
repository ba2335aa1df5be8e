"""Decodes OTLP's metrics with Google's library: a line of {"encoding", "body"} (base64) each, answered with a line of JSON each."""
import base64
import json
import os
import subprocess
import sys
import tempfile

here = os.path.dirname(os.path.abspath(__file__))
with tempfile.TemporaryDirectory() as made:
    subprocess.run(["protoc", f"-I{here}", f"--python_out={made}", "otlp.proto"], check=True)
    sys.path.insert(0, made)
    import otlp_pb2
    from google.protobuf import json_format

for line in sys.stdin:
    given = json.loads(line)
    body = base64.b64decode(given["body"])
    message = otlp_pb2.ExportMetricsServiceRequest()
    if given["encoding"] == "json":
        # Refuses fields that it does not know.
        json_format.Parse(body, message)
    else:
        message.ParseFromString(body)
        # What it does not know would be written again, but not once it was discarded.
        whole = len(message.SerializeToString())
        message.DiscardUnknownFields()
        assert len(message.SerializeToString()) == whole, "there are unknown fields"
    print(json_format.MessageToJson(message, indent=None), flush=True)
