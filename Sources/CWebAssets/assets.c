#include "CWebAssets.h"

// The files under Public/ become part of the program: it can be moved and still serves its pages.
// Each file is named once here; Scripts/check-assets compares this list with the folder.

#define ASSET(identifier)                                                                          \
  { identifier##_name, identifier##_bytes, sizeof(identifier##_bytes) }

static const char index_html_name[] = "index.html";
static const unsigned char index_html_bytes[] = {
#embed "Public/index.html"
};

static const char board_css_name[] = "board.css";
static const unsigned char board_css_bytes[] = {
#embed "Public/board.css"
};

static const char api_js_name[] = "api.js";
static const unsigned char api_js_bytes[] = {
#embed "Public/api.js"
};

static const char board_js_name[] = "board.js";
static const unsigned char board_js_bytes[] = {
#embed "Public/board.js"
};

static const char clock_js_name[] = "clock.js";
static const unsigned char clock_js_bytes[] = {
#embed "Public/clock.js"
};

static const char dom_js_name[] = "dom.js";
static const unsigned char dom_js_bytes[] = {
#embed "Public/dom.js"
};

static const char format_js_name[] = "format.js";
static const unsigned char format_js_bytes[] = {
#embed "Public/format.js"
};

static const char freshness_js_name[] = "freshness.js";
static const unsigned char freshness_js_bytes[] = {
#embed "Public/freshness.js"
};

static const char refresh_js_name[] = "refresh.js";
static const unsigned char refresh_js_bytes[] = {
#embed "Public/refresh.js"
};

static const char rows_js_name[] = "rows.js";
static const unsigned char rows_js_bytes[] = {
#embed "Public/rows.js"
};

static const char search_js_name[] = "search.js";
static const unsigned char search_js_bytes[] = {
#embed "Public/search.js"
};

static const char texts_js_name[] = "texts.js";
static const unsigned char texts_js_bytes[] = {
#embed "Public/texts.js"
};

static const char trip_js_name[] = "trip.js";
static const unsigned char trip_js_bytes[] = {
#embed "Public/trip.js"
};

static const char icon_svg_name[] = "icon.svg";
static const unsigned char icon_svg_bytes[] = {
#embed "Public/icon.svg"
};

static const char manifest_webmanifest_name[] = "manifest.webmanifest";
static const unsigned char manifest_webmanifest_bytes[] = {
#embed "Public/manifest.webmanifest"
};

static const char openapi_json_name[] = "openapi.json";
static const unsigned char openapi_json_bytes[] = {
#embed "Public/openapi.json"
};

static const FreshetWebAsset assets[] = {
  ASSET(index_html),
  ASSET(board_css),
  ASSET(api_js),
  ASSET(board_js),
  ASSET(clock_js),
  ASSET(dom_js),
  ASSET(format_js),
  ASSET(freshness_js),
  ASSET(refresh_js),
  ASSET(rows_js),
  ASSET(search_js),
  ASSET(texts_js),
  ASSET(trip_js),
  ASSET(icon_svg),
  ASSET(manifest_webmanifest),
  ASSET(openapi_json),
};

const FreshetWebAsset *freshet_web_assets(void) { return assets; }

size_t freshet_web_asset_count(void) { return sizeof(assets) / sizeof(assets[0]); }
